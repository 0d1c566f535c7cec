import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { parse, parseAllDocuments } from "yaml";

/* The chart for Kubernetes. Where the machine has no Helm, what it renders is left out. */

const ROOT = join(import.meta.dirname, "..");
const CHART = join(ROOT, "deploy/helm/tefo");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const inChart = (path: string): string => readFileSync(join(CHART, path), "utf8");

type Values = Record<string, unknown>;
const DEFAULTS = parse(inChart("values.yaml")) as Values & { env: Values; secret: Values; backup: Values };
const SCHEMA = JSON.parse(inChart("values.schema.json")) as {
  properties: {
    env: { properties: Values; patternProperties: Values };
    secret: { properties: { variables: { items: { enum: string[] } } } };
  };
};
const GIVEN = {
  baseUrl: "https://pay.example",
  image: { repository: "registry.example/tefo" },
  secret: { ...DEFAULTS.secret, name: "tefo" },
};
const VALUES = { ...DEFAULTS, ...GIVEN };
const isValid = new Ajv({ strict: true }).compile(SCHEMA);

/** The variables that configuration.md lists. */
const VARIABLES = [...read("docs/operators/configuration.md").matchAll(/^\| ((?:`[A-Z_<>]+`(?:, )?)+) \|/gm)].flatMap(
  ([, names = ""]) => [...names.matchAll(/[A-Z_<>]+/g)].map(([name]) => name),
);

test("the chart has the version of the service", () => {
  const { version, appVersion } = parse(inChart("Chart.yaml")) as { version: string; appVersion: string };
  const { version: service } = JSON.parse(read("package.json")) as { version: string };
  assert.deepEqual([version, appVersion], [service, service]);
});

const ACCEPTED: [what: string, values: Values][] = [
  ["the defaults, with what must be given", {}],
  ["a stand-in of a gateway", { env: { ...DEFAULTS.env, GATEWAY_URL_PAYFAST: "http://stand-in" } }],
  ["a backup into a volume", { backup: { ...DEFAULTS.backup, enabled: true, claim: "backups" } }],
];
for (const [what, values] of ACCEPTED)
  test(`the schema accepts ${what}`, () =>
    assert.ok(isValid({ ...VALUES, ...values }), JSON.stringify(isValid.errors)));

const REFUSED: [what: string, values: Values][] = [
  ["no address", { baseUrl: "" }],
  ["an address without TLS", { baseUrl: "http://pay.example" }],
  ["an address with a path", { baseUrl: "https://pay.example/shop" }],
  ["no image", { image: { repository: "" } }],
  ["no Secret", { secret: DEFAULTS.secret }],
  ["a Secret without the master key", { secret: { name: "tefo", variables: ["DATABASE_URL"] } }],
  ["a secret in the open", { env: { SECRET_KEY: "x" } }],
  ["an unknown variable", { env: { TRUSTED_PROXY: "1" } }],
  ["a variable that the chart sets", { env: { PROCESS: "all" } }],
  ["a number where Kubernetes takes texts", { env: { TRUSTED_PROXIES: 1 } }],
  ["a misspelt value", { workers: {} }],
  ["no process", { api: { replicas: 0, resources: {} } }],
  ["a backup to nowhere", { backup: { ...DEFAULTS.backup, enabled: true } }],
];
for (const [what, values] of REFUSED)
  test(`the schema refuses ${what}`, () => assert.ok(!isValid({ ...VALUES, ...values })));

test("every variable of the configuration can be passed, in the open or by the Secret", () => {
  const { env, secret } = SCHEMA.properties;
  const open = Object.keys(env.properties);
  const patterns = Object.keys(env.patternProperties).map((pattern) => new RegExp(pattern));
  const helpers = inChart("templates/_helpers.tpl");
  const set = [...helpers.matchAll(/- name: ([A-Z_]+)$/gm)].map(([, name]) => name);
  // Of the embedded database and its backups, and where the image listens.
  const fixed = /^(HOST|PORT|DATA_DIR|BACKUP_DIR|AWS_[A-Z_]+)$/;
  const known = (name: string) =>
    fixed.test(name) ||
    set.includes(name) ||
    open.includes(name) ||
    secret.properties.variables.items.enum.includes(name) ||
    patterns.some((pattern) => pattern.test(name.replace("<TYPE>", "SANDBOX")));
  assert.ok(VARIABLES.length > 20 && VARIABLES.includes("GATEWAY_URL_<TYPE>"));
  assert.deepEqual(
    VARIABLES.filter((name) => !known(name)),
    [],
  );
  assert.deepEqual(
    open.filter((name) => !VARIABLES.includes(name)),
    [],
  );
});

test("ports, user and health addresses are those of the image and the service", () => {
  const dockerfile = read("Dockerfile");
  const [, port] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? [];
  assert.match(inChart("templates/api.yaml"), new RegExp(`"tefo.deployment" \\(list . "api" ${port}\\)`));
  assert.match(dockerfile, /^USER node$/m);
  const health = read("src/http/health.ts");
  for (const [, path = ""] of inChart("templates/_helpers.tpl").matchAll(/path: (\/health\/\w+)/g))
    assert.ok(health.includes(`"${path}"`), path);
  for (const [, command = ""] of inChart("templates/_helpers.tpl").matchAll(/command: \["node", "([^"]+)"/g))
    assert.ok(read(command).length > 0, command);
});

test("each value that the templates read is there", () => {
  const files = readdirSync(join(CHART, "templates")).map((name) => inChart(`templates/${name}`));
  const used = new Set(files.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = ""]) => path)));
  const missing = [...used].filter(
    (path) =>
      path.split(".").reduce<unknown>((value, name) => (value as Values | undefined)?.[name], DEFAULTS) === undefined,
  );
  assert.deepEqual(missing, []);
  assert.ok(used.size > 20);
});

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly spec: Record<string, unknown>;
}

const helm = (...args: string[]) => spawnSync("helm", args, { encoding: "utf8" });
const settings = ["--set", "baseUrl=https://pay.example,image.repository=registry.example/tefo,secret.name=tefo"];
const rendered = (...args: string[]): Rendered[] => {
  const { status, stdout, stderr } = helm("template", "shop", CHART, ...settings, ...args);
  assert.equal(status, 0, stderr);
  return parseAllDocuments(stdout)
    .map((document) => {
      assert.deepEqual(document.errors, []);
      return document.toJS() as Rendered | null;
    })
    .filter((one) => one !== null);
};

test("Helm renders it: what it should have, and nothing secret", (t) => {
  if (helm("version").status !== 0) return t.diagnostic("helm is not on this machine: left out");
  assert.equal(helm("lint", "--strict", CHART, ...settings).status, 0);
  const namesOf = (all: Rendered[]) => all.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
  assert.deepEqual(namesOf(rendered()), [
    "CronJob shop-verify",
    "Deployment shop-api",
    "Deployment shop-worker",
    "Job shop-migrate",
    "PodDisruptionBudget shop-api",
    "PodDisruptionBudget shop-worker",
    "Service shop",
  ]);
  const all = rendered(
    "--set",
    "ingress.enabled=true,ingress.className=nginx,ingress.tlsSecret=crt,backup.enabled=true,backup.claim=dumps",
    "--set-json",
    'nodeSelector={"disk":"fast"},imagePullSecrets=[{"name":"pull"}],podAnnotations={"a":"b"},tolerations=[{"key":"k"}]',
  );
  assert.ok(namesOf(all).includes("Ingress shop") && namesOf(all).includes("CronJob shop-backup"));
  const text = JSON.stringify(all);
  assert.match(text, /"host":"pay\.example"/);
  assert.match(text, /"name":"DATABASE_URL","valueFrom":\{"secretKeyRef":\{"name":"tefo","key":"DATABASE_URL"\}\}/);
  for (const one of all.filter(({ kind }) => kind === "Deployment")) {
    const { template } = one.spec as { template: { spec: { containers: Record<string, unknown>[] } } };
    const [container] = template.spec.containers;
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) assert.ok(container?.[probe], probe);
    assert.match(
      JSON.stringify(template.spec),
      /"readOnlyRootFilesystem":true.*"disk":"fast"|"disk":"fast".*"readOnlyRootFilesystem":true/,
    );
  }
  const refused = helm("template", "shop", CHART, ...settings, "--set", "env.SECRET_KEY=x");
  assert.notEqual(refused.status, 0);
});
