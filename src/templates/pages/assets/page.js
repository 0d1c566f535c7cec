// Optional: every page works without this file.
(() => {
  const main = () => document.querySelector("main");

  /* A second click must not pay a second time: the first submission wins until the page is shown again. */
  function guard(event) {
    const form = event.target;
    if (form.method !== "post") return;
    if ("sent" in form.dataset) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "";
    const button = event.submitter ?? form.querySelector("button[type=submit]");
    if (!button) return;
    button.setAttribute("aria-disabled", "true");
    if (!button.dataset.busy) return;
    button.dataset.label = button.textContent;
    button.textContent = button.dataset.busy;
  }

  function unguard() {
    for (const form of document.querySelectorAll("form[data-sent]")) {
      delete form.dataset.sent;
      for (const button of form.querySelectorAll("button[aria-disabled]")) {
        button.removeAttribute("aria-disabled");
        if (button.dataset.label) button.textContent = button.dataset.label;
      }
    }
  }

  /* The button shows the whole amount; when a part is entered, it shows that part. */
  function namePart(event) {
    const button = event.target.form?.querySelector("button[data-part]");
    if (event.target.name !== "amount" || !button) return;
    button.dataset.whole ??= button.textContent;
    button.textContent = event.target.value.trim() ? button.dataset.part : button.dataset.whole;
  }

  /* Buttons that need script (copy, fill in, stay) come hidden. */
  function reveal() {
    for (const button of document.querySelectorAll("button[hidden]")) button.hidden = false;
  }

  async function press(event) {
    const button = event.target.closest?.("button[type=button]");
    if (!button) return;
    if ("stay" in button.dataset) {
      clearTimeout(leaving);
      button.hidden = true;
      return;
    }
    if (button.dataset.fill) {
      const input = document.getElementById(button.dataset.fill);
      input.value = button.dataset.value;
      input.focus();
      return;
    }
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      const label = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = label;
      }, 2000);
    } catch {
      button.hidden = true;
    }
  }

  /* Requests a pending payment's page again until the payment is final; then the main part of the new page replaces the present one. */
  let asked = 0;
  function poll() {
    const seconds = Number(main()?.dataset.poll);
    if (!seconds) return;
    setTimeout(ask, asked < 20 ? seconds * 1000 : seconds * 4000);
  }

  async function ask() {
    if (document.hidden) {
      document.addEventListener("visibilitychange", ask, { once: true });
      return;
    }
    asked += 1;
    try {
      const answer = await fetch(location.href, { redirect: "manual", cache: "no-store" });
      if (answer.type === "opaqueredirect") {
        location.reload();
        return;
      }
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.querySelector("main");
        if (fresh && fresh.dataset.status !== main().dataset.status) {
          main().replaceWith(document.adoptNode(fresh));
          document.title = page.title;
          reveal();
          onward();
          document.querySelector("h1").focus();
        }
      }
    } catch {
      // Offline, or the service restarts: the next request tries again.
    }
    poll();
  }

  /* Redirects the payer back to the merchant, unless they press the button to stay. */
  let leaving = 0;
  function onward() {
    const link = document.querySelector("a[data-onward]");
    if (link) leaving = setTimeout(() => location.assign(link.href), Number(link.dataset.onward) * 1000);
  }

  /* Submits the form to a gateway automatically, unless the payer has come back to the page. */
  function handOff() {
    const form = document.querySelector("form[data-auto]");
    const [visit] = performance.getEntriesByType("navigation");
    if (form && visit?.type !== "back_forward") form.requestSubmit();
  }

  document.addEventListener("submit", guard);
  document.addEventListener("click", press);
  document.addEventListener("input", namePart);
  addEventListener("pageshow", unguard);
  reveal();
  document.querySelector(".problem")?.focus();
  poll();
  onward();
  handOff();
})();
