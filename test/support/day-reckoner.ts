/*
 * A second, deliberately simple way to find what a subscription costs: day by day (decisions.md#second-reckoner). It shares no code with
 * the planner: days are numbers, every day has at most one price, and prices are exact fractions of a cent. What the planner bills must be
 * the same but for one rounding for each line.
 */

/** What is walked: a subscription, in days since 1970 and whole cents. */
export interface World {
  readonly plans: readonly {
    readonly cents: number;
    /** Months of a period. */
    readonly months: number;
    readonly setUpCents: number;
    readonly cycles: number | null;
  }[];
  /** For one of each add-on. */
  readonly addonCents: readonly number[];
  /** For one, with each plan. */
  readonly usageCents: readonly number[];
  readonly coupon: {
    readonly percent: number | null;
    readonly cents: number;
    readonly limit: number | null;
    /** For the first charge only, whatever its plan is. */
    readonly first: boolean;
    /** Null: for every plan. */
    readonly plan: number | null;
  } | null;
  readonly today: number;
  readonly startsOn: number;
  readonly trialDays: number;
  readonly paidThrough: number | null;
  readonly anchorDay: number | null;
  readonly terms: WalkTerms;
}

export interface WalkTerms {
  readonly plan: number;
  readonly quantity: number;
  /** How many of each add-on. */
  readonly addons: readonly number[];
}

interface Rate {
  readonly num: bigint;
  readonly den: bigint;
}

interface LastPeriod {
  readonly start: number;
  next: number;
  /** Null: nothing was charged. */
  price: {
    months: number;
    of: number;
    until: number;
    percents: readonly Percent[];
    off: { cents: number; days: number };
  } | null;
}

interface Percent {
  readonly percent: number;
  readonly isCoupon: boolean;
}

/** A day of the calendar. `month` counts on from January of year 0. */
interface GridDay {
  readonly dayOfMonth: number;
  readonly month: number;
  readonly daysInMonth: number;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** The days from 1970-01-01 to 2099-12-31. In these years every fourth one is a leap year. */
const CALENDAR: readonly GridDay[] = Array.from({ length: 130 * 12 }, (_, index) => 1970 * 12 + index).flatMap(
  (month) => {
    const isLeapDay = month % 12 === 1 && Math.floor(month / 12) % 4 === 0;
    const daysInMonth = (MONTH_DAYS[month % 12] ?? 0) + (isLeapDay ? 1 : 0);
    return Array.from({ length: daysInMonth }, (_, index) => ({ dayOfMonth: index + 1, month, daysInMonth }));
  },
);

function dateOf(day: number): GridDay {
  const date = CALENDAR[day];
  if (!date) throw new Error(`day ${day} is not in the calendar`);
  return date;
}
const dayOfMonth = (day: number): number => dateOf(day).dayOfMonth;
const monthOf = (day: number): number => dateOf(day).month;
const isAnchor = (day: number, anchor: number): boolean =>
  dayOfMonth(day) === Math.min(anchor, dateOf(day).daysInMonth);
const half = (value: number, num: number, den: number): number =>
  Number((BigInt(value) * BigInt(num) * 2n + BigInt(den)) / (BigInt(den) * 2n));

/** The end of the period that begins on a day, found by going through the days. */
function endOf(start: number, anchor: number, months: number): number {
  const wanted = isAnchor(start, anchor) ? months : 0;
  for (let day = start + 1; ; day++) if (isAnchor(day, anchor) && monthOf(day) - monthOf(start) >= wanted) return day;
}

/** How many days the full period has that ends on a day. */
function fullDays(next: number, anchor: number, months: number): number {
  const own = isAnchor(next, anchor) ? anchor : dayOfMonth(next);
  for (let day = next - 1; ; day--)
    if (isAnchor(day, own) && monthOf(next) - monthOf(day) === months) return next - day;
}

/** What percents leave of whole cents, each rounded. */
const reduced = (cents: number, percents: readonly Percent[]): number =>
  percents.reduce((left, { percent }) => left - half(left, percent, 100), cents);

/** Reckons one subscription. Its methods are what may happen to it, in the order of days. */
export class DayReckoner {
  readonly world: World;
  terms: WalkTerms;
  pending: WalkTerms | null = null;
  /** Whether what was changed in a pause is to be prorated. */
  onResume = false;
  anchor: { day: number; given: boolean };
  startsOn: number;
  last: LastPeriod | null = null;
  cyclesBilled = 0;
  cyclesBefore = 0;
  ended = false;
  cancelAtEnd = false;
  /** One-time items and usage that wait for a bill. */
  usage = 0;
  /** Usage at prices of plans before, in cents, with the plan. */
  waiting: { cents: number; plan: number }[] = [];
  oneTime: number[] = [];
  discounts: number[] = [];
  couponUses = 0;
  /** The price of each day that is paid for or free. */
  readonly prices = new Map<number, Rate | "free">();
  /** Days that were paid for and cut off. */
  readonly lost: Rate[] = [];
  /** Cents of what does not depend on days. */
  once = 0;
  /** How many amounts the planner rounds that are exact here. */
  roundings = 0;

  constructor(world: World) {
    this.world = world;
    this.terms = world.terms;
    this.startsOn = world.startsOn;
    const first = world.paidThrough ?? world.startsOn + world.trialDays;
    this.anchor = { day: world.anchorDay ?? dayOfMonth(first), given: world.anchorDay !== null };
    if (world.paidThrough !== null) {
      const { months } = this.plan();
      const of = fullDays(world.paidThrough, this.anchor.day, months);
      const price = { months, of, until: world.paidThrough, percents: [], off: { cents: 0, days: 1 } };
      this.last = { start: world.startsOn, next: world.paidThrough, price };
      this.setPrices(world.startsOn, world.paidThrough, this.rate(price));
      for (let day = world.startsOn; day < world.paidThrough; day++) this.elsewhere.push(this.prices.get(day) as Rate);
    }
  }

  /** What was paid elsewhere. */
  readonly elsewhere: Rate[] = [];

  plan(terms = this.terms) {
    const plan = this.world.plans[terms.plan];
    if (!plan) throw new Error("no such plan");
    return plan;
  }

  isBeforeFirst(): boolean {
    return this.world.paidThrough === null && this.cyclesBilled === 0;
  }

  parts(): number[] {
    const { terms, world } = this;
    return [
      this.plan().cents * terms.quantity,
      ...terms.addons.flatMap((count, index) => (count === 0 ? [] : [count * (world.addonCents[index] ?? 0)])),
    ];
  }

  rate(price: NonNullable<LastPeriod["price"]>): Rate {
    const rests = !this.isCovered(this.terms.plan);
    const percents = price.percents.filter(({ isCoupon }) => !(isCoupon && rests));
    const net = this.parts().reduce((total, cents) => total + reduced(cents, percents), 0);
    const num = BigInt(net) * BigInt(price.off.days) - (rests ? 0n : BigInt(price.off.cents) * BigInt(price.of));
    return { num: num < 0n ? 0n : num, den: BigInt(price.of) * BigInt(price.off.days) };
  }

  setPrices(from: number, next: number, price: Rate | "free"): void {
    for (let day = from; day < next; day++) {
      if (this.prices.has(day)) throw new Error(`day ${day} has two prices`);
      this.prices.set(day, price);
    }
  }

  clearPrices(from: number): (Rate | "free")[] {
    const cleared: (Rate | "free")[] = [];
    for (let day = from; this.prices.has(day); day++) {
      cleared.push(this.prices.get(day) ?? "free");
      this.prices.delete(day);
    }
    return cleared;
  }

  isCovered(plan: number): boolean {
    return this.world.coupon?.plan === null || this.world.coupon?.plan === plan;
  }

  coupon(plan: number) {
    const { coupon } = this.world;
    if (coupon === null || !this.isCovered(plan)) return null;
    return coupon.limit === null || this.couponUses < coupon.limit ? coupon : null;
  }

  /** What reduces a charge of a plan on the next bill. */
  percentsOf(plan: number): Percent[] {
    const percent = this.coupon(plan)?.percent ?? null;
    return [
      ...(percent === null ? [] : [{ percent, isCoupon: true }]),
      ...this.discounts.map((one) => ({ percent: one, isCoupon: false })),
    ];
  }

  /** Usage with what reduces it, and how much of it a coupon's amount may be subtracted from. */
  usageDue(plan: number): { cents: number; coverable: number } {
    const lines = [...this.waiting, { cents: this.usage * (this.world.usageCents[plan] ?? 0), plan }];
    const due = lines.map((line) => ({ plan: line.plan, cents: reduced(line.cents, this.percentsOf(line.plan)) }));
    const sum = (all: readonly { cents: number }[]) => all.reduce((total, { cents }) => total + cents, 0);
    this.usage = 0;
    this.waiting = [];
    return { cents: sum(due), coverable: sum(due.filter((line) => this.isCovered(line.plan))) };
  }

  /** Usage at another price waits at the old one; before the first bill it is free. */
  setTerms(terms: WalkTerms): void {
    const [from, to] = [this.terms.plan, terms.plan].map((plan) => this.world.usageCents[plan] ?? 0);
    // A coupon lowers usage by the plan under which it was recorded.
    if (from !== to || this.isCovered(this.terms.plan) !== this.isCovered(terms.plan)) {
      if (!this.isBeforeFirst()) this.waiting.push({ cents: this.usage * (from ?? 0), plan: this.terms.plan });
      this.usage = 0;
    }
    this.terms = terms;
  }

  /** Charges a period, with what is charged once. */
  charge(start: number, next: number, of: number, once: number[], usage = { cents: 0, coverable: 0 }): void {
    const coupon = this.coupon(this.terms.plan);
    const percents = this.percentsOf(this.terms.plan);
    const lines = this.parts().map((cents) => half(reduced(cents, percents), next - start, of));
    const recurring = lines.reduce((total, line) => total + line, 0);
    const others = once.reduce((total, cents) => total + reduced(cents, percents), 0);
    const off = coupon !== null && coupon.percent === null ? coupon.cents : 0;
    const offRecurring = Math.min(off, recurring);
    this.once += others + usage.cents - Math.min(off - offRecurring, others + usage.coverable);
    const { months } = this.plan();
    const price = { months, of, until: next, percents, off: { cents: offRecurring, days: next - start } };
    this.last = { start, next, price };
    this.setPrices(start, next, this.rate(price));
    this.roundings += lines.length;
    this.cyclesBilled++;
    if (this.world.coupon?.first) this.couponUses = 1;
    else if (coupon !== null) this.couponUses++;
    this.discounts = [];
  }

  /** The bill that begins a period on a day. */
  renew(day: number): void {
    const { cancelAtEnd } = this;
    const { plan } = this.terms;
    if (!cancelAtEnd && this.pending !== null) this.setTerms(this.pending);
    this.pending = null;
    if (cancelAtEnd || this.isUsedUp()) this.end(plan);
    else this.bill(day, null, plan);
  }

  isUsedUp(): boolean {
    const { cycles } = this.plan();
    return cycles !== null && this.cyclesBilled - this.cyclesBefore >= cycles;
  }

  bill(day: number, until: number | null = null, usedUnder = this.terms.plan): void {
    const { months, setUpCents } = this.plan();
    const first = this.isBeforeFirst();
    const next = until ?? endOf(day, this.anchor.day, months);
    const once = [first ? setUpCents : 0, ...this.oneTime.filter((cents) => cents > 0)];
    const credits = this.oneTime.filter((cents) => cents < 0);
    if (first) this.usage = 0;
    this.oneTime = [];
    this.charge(day, next, fullDays(next, this.anchor.day, months), once, this.usageDue(usedUnder));
    for (const cents of credits) this.once += cents;
  }

  end(usedUnder = this.terms.plan): void {
    if (this.isBeforeFirst()) this.usage = 0;
    const hadUsage = this.usage > 0 || this.waiting.some(({ cents }) => cents > 0);
    const coupon = this.coupon(this.terms.plan);
    const { cents, coverable } = this.usageDue(usedUnder);
    this.once += cents - (coupon !== null && coupon.percent === null ? Math.min(coupon.cents, coverable) : 0);
    if (hadUsage) this.discounts = [];
    this.ended = true;
    this.cancelAtEnd = false;
    this.pending = null;
  }

  nextDue(): number | null {
    return this.ended ? null : (this.last?.next ?? this.startsOn);
  }

  /** Lives the days up to and with `today`, with at most so many bills of periods in all: more wait for a payment. */
  passTo(today: number, most: number): void {
    for (let due = this.nextDue(); due !== null && due <= today; due = this.nextDue()) {
      if (this.cyclesBilled >= most) return;
      if (this.last === null && this.world.trialDays > 0) {
        this.last = { start: due, next: due + this.world.trialDays, price: null };
        this.setPrices(due, this.last.next, "free");
      } else this.renew(due);
    }
  }

  change(today: number, terms: WalkTerms, proration: "none" | "now" | "next_renewal"): void {
    const { last } = this;
    if (proration === "next_renewal" && last !== null) {
      this.pending = terms;
      return;
    }
    const monthsBefore = this.plan().months;
    this.pending = null;
    this.setTerms(terms);
    if (proration === "now" && this.mayProrate(today)) this.prorate(today, monthsBefore);
  }

  mayProrate(today: number): boolean {
    return this.last !== null && today < this.last.next && !this.isBeforeFirst();
  }

  /** A change `now` in a pause: it costs nothing until the resume, and then what is left on that day. */
  changePaused(today: number, terms: WalkTerms): void {
    this.onResume = this.mayProrate(today);
    this.pending = null;
    this.setTerms(terms);
  }

  prorate(today: number, monthsBefore: number): void {
    const { last } = this;
    const { months } = this.plan();
    if (last === null) return;
    if (months !== (last.price?.months ?? monthsBefore)) {
      this.clearPrices(today);
      this.anchor = { day: dayOfMonth(today), given: false };
      const next = endOf(today, this.anchor.day, months);
      this.charge(today, next, next - today, []);
      this.roundings++;
    } else if (last.price !== null && today < last.price.until) {
      this.enterCoupon(last.price, this.terms.plan);
      const rate = this.rate(last.price);
      for (let day = today; day < last.price.until; day++) this.prices.set(day, rate);
      this.roundings += 2;
    }
  }

  /** A coupon for every charge lowers the days of its plan also where the period's bill was for another one. */
  enterCoupon(price: NonNullable<LastPeriod["price"]>, plan: number): void {
    const { coupon } = this.world;
    if (coupon === null || coupon.limit !== null || !this.isCovered(plan) || this.cyclesBilled === 0) return;
    if (price.off.cents > 0 || price.percents.some(({ isCoupon }) => isCoupon)) return;
    if (coupon.percent === null) price.off = { cents: coupon.cents, days: price.of };
    else price.percents = [{ percent: coupon.percent, isCoupon: true }, ...price.percents];
  }

  moveNext(next: number): void {
    const { last } = this;
    if (!this.anchor.given)
      this.anchor = { day: dayOfMonth(last === null ? next + this.world.trialDays : next), given: false };
    if (last === null) {
      this.startsOn = next;
      return;
    }
    const cut = this.clearPrices(next);
    for (const price of cut) if (price !== "free") this.lost.push(price);
    if (next > last.next) this.setPrices(last.next, next, "free");
    last.next = next;
    if (last.price !== null) last.price.until = Math.min(last.price.until, next);
  }

  giveAnchor(day: number): void {
    this.anchor = { day, given: true };
  }

  /** After days on which nothing was billed. */
  resume(today: number, most: number): void {
    const { onResume } = this;
    this.onResume = false;
    if (onResume && this.mayProrate(today)) {
      this.prorate(today, this.plan().months);
      return;
    }
    if (this.last !== null && this.last.next < today) {
      this.anchorOn(today);
      this.renew(today);
    } else {
      if (this.last === null && this.startsOn < today) this.moveNext(today);
      this.passTo(today, most);
    }
  }

  anchorOn(day: number): void {
    if (!this.anchor.given) this.anchor = { day: dayOfMonth(day), given: false };
  }

  reactivate(today: number, asked: number | null, chargeNow: boolean | null, most: number): void {
    this.ended = false;
    this.cancelAtEnd = false;
    const isOver = this.last !== null && today >= this.last.next;
    if (chargeNow === true && !isOver) {
      this.beginToday(today, asked);
      return;
    }
    if (asked !== null && !isOver) this.moveNext(asked);
    if (this.last === null) this.resume(today, most);
    if (this.last === null || !isOver) return;
    if (this.isUsedUp()) this.cyclesBefore = this.cyclesBilled;
    if (this.last.next < today) this.anchorOn(today);
    if (asked === null && chargeNow !== false) {
      this.renew(today);
      return;
    }
    const next = asked ?? endOf(today, this.anchor.day, this.plan().months);
    if (asked !== null) this.anchorOn(next);
    if (chargeNow === true) this.bill(today, next);
    else {
      this.last = { start: today, next, price: null };
      this.setPrices(today, next, "free");
    }
  }

  /** A period that is charged today, in place of what is left of the last one. */
  beginToday(today: number, asked: number | null): void {
    if (this.isUsedUp()) this.cyclesBefore = this.cyclesBilled;
    if (this.pending !== null) this.setTerms(this.pending);
    this.pending = null;
    this.anchorOn(asked ?? today);
    const first = this.isBeforeFirst();
    this.clearPrices(today);
    const { months } = this.plan();
    const next = asked ?? endOf(today, this.anchor.day, months);
    if (first) this.bill(today, next);
    else this.charge(today, next, fullDays(next, this.anchor.day, months), []);
    this.roundings++;
  }

  /** What all of it costs, as a fraction of cents. */
  total(): Rate {
    const counts = new Map<Rate, number>();
    const count = (rate: Rate | "free", times: number) => {
      if (rate !== "free") counts.set(rate, (counts.get(rate) ?? 0) + times);
    };
    for (const rate of this.prices.values()) count(rate, 1);
    for (const rate of this.lost) count(rate, 1);
    for (const rate of this.elsewhere) count(rate, -1);
    let sum: Rate = { num: BigInt(this.once), den: 1n };
    for (const [rate, days] of counts) {
      const num = sum.num * rate.den + rate.num * BigInt(days) * sum.den;
      const den = sum.den * rate.den;
      const common = divisor(num < 0n ? -num : num, den);
      sum = { num: num / common, den: den / common };
    }
    return sum;
  }
}

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b));
