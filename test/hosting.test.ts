import { readFileSync } from 'node:fs';
import type { BlockList } from 'node:net';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { clientAddress } from '../adapters/web/access.ts';
import webModule from '../adapters/web/index.ts';
import { engineSection, serverSection } from '../service/config.ts';
import { adapterFault, type AdapterModule } from '../src/adapter.ts';
import { parseConfig } from '../src/config.ts';
import { coreSection } from '../src/app/core-config.ts';
import { discover } from '../src/app/modules.ts';
import { opsSection, OPS_PATHS } from '../src/ops/pages.ts';

const adapters = await discover<AdapterModule>('adapters', adapterFault);
const sections = {
  core: coreSection,
  ops: opsSection,
  engines: engineSection,
  server: serverSection,
  ...Object.fromEntries(adapters.map(({ name, config }) => [name, config])),
};
const known = new Set(Object.values(sections).flatMap(({ shape }) => Object.keys(shape)));
const { DRAIN_S } = parseConfig({}, { core: coreSection }).core;
/** Longest time that the parts take to end after the work has. */
const END_S = 10;

const read = (file: string): string => readFileSync(file, 'utf8');

const service = z.looseObject({
  image: z.string(),
  environment: z.record(z.string(), z.string()),
  volumes: z.array(z.string()),
  networks: z.array(z.string()),
  restart: z.literal('unless-stopped'),
  stop_grace_period: z.string().regex(/^\d+s$/),
  read_only: z.literal(true),
  tmpfs: z.array(z.string().regex(/:size=\d+m/)),
  cap_drop: z.tuple([z.literal('ALL')]),
  cap_add: z.array(z.string()).optional(),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  ports: z.array(z.string()).default([]),
  deploy: z.looseObject({
    resources: z.object({
      limits: z.object({
        cpus: z.union([z.string(), z.number()]),
        memory: z.string(),
        pids: z.number(),
      }),
    }),
  }),
  logging: z.object({
    driver: z.literal('json-file'),
    options: z.object({ 'max-size': z.string(), 'max-file': z.string() }),
  }),
});
const compose = z.object({ services: z.record(z.string(), z.looseObject({})) });
const servicesIn = (file: string) => compose.parse(parse(read(file), { merge: true })).services;
const own = servicesIn('compose.yaml');
const added = servicesIn('compose.postgres.yaml');
const whole = [
  ...Object.entries(own),
  ...Object.entries(added).filter(([name]) => !(name in own)),
].map(([name, given]) => ({ name, given }));
const dragoman = service.parse(own['dragoman']);

/** Time after which Slack gives a request up and sends an event again. */
const SLACK_WAITS_S = 3;

describe('the Compose files', () => {
  it.each(whole)('confine and bound $name', ({ name, given }) => {
    expect(service.safeParse(given).error?.issues ?? []).toEqual([]);
    if (name === 'dragoman') expect(given['cap_add']).toBeUndefined();
  });

  it.each(whole)('check whether $name works', ({ name, given }) => {
    const checked =
      name === 'dragoman' ? read('Dockerfile').includes('HEALTHCHECK') : given['healthcheck'];
    expect(checked).toBeTruthy();
  });

  it('let nobody reach anything but the proxy', () => {
    const open = whole.filter(({ given }) => given['ports'] !== undefined).map(({ name }) => name);
    expect(open).toEqual(['caddy']);
    const { networks } = parse(read('compose.postgres.yaml')) as { networks: object };
    expect(networks).toEqual({ database: { internal: true } });
  });

  it('give Dragoman the time to finish what is under way', () => {
    expect(Number.parseInt(dragoman.stop_grace_period, 10)).toBeGreaterThan(DRAIN_S + END_S);
  });

  it('set only variables that there are, to what they may be', () => {
    const given = Object.fromEntries(
      Object.entries(dragoman.environment).map(([name, value]) => [
        name,
        value.replace(/^\$\{.*\}$/, 'a-secret-of-your-own'),
      ]),
    );
    expect(Object.keys(given).filter((name) => !known.has(name))).toEqual([]);
    expect(() => parseConfig(given, sections)).not.toThrow();
    const { environment = {} } = added['dragoman'] as { environment?: Record<string, string> };
    const url = environment['DATABASE_URL']?.replace(/\$\{.*\}/, 'secret');
    expect(parseConfig({ DATABASE_URL: url }, { core: coreSection }).core.DATABASE_URL).toBe(
      'postgres://dragoman:secret@postgres:5432/dragoman',
    );
  });

  it('lead the proxy to the ports that Dragoman listens on', () => {
    const caddy = read('deploy/Caddyfile');
    for (const name of ['PORT', 'SLACK_PORT'])
      expect(caddy).toMatch(new RegExp(`dragoman[: ]${dragoman.environment[name]}\\b`));
    // What tells of the inside is not for everybody.
    expect(caddy).toMatch(/path \/metrics \/readyz\n\trespond @operators 404/);
  });

  it('try another connection for a request of Slack, whose body is kept, while Slack waits', () => {
    const [, slack = ''] =
      /reverse_proxy @slack [^{\n]+\{\n(.*?)\n\t\}/s.exec(read('deploy/Caddyfile')) ?? [];
    const tryS = Number(/^\t*lb_try_duration (\d+)s$/m.exec(slack)?.[1]);
    expect(tryS).toBeGreaterThan(0);
    expect(tryS).toBeLessThan(SLACK_WAITS_S);
    expect(slack).toMatch(/^\t*request_buffers \d+MB$/m);
    // What a process may have taken already is not sent to another one.
    expect(slack).not.toContain('lb_retry_match');
  });

  it('let requests wait in the proxy while all processes are replaced', () => {
    expect(own['caddy']).toBeDefined();
    expect(own['caddy']?.['depends_on']).toBeUndefined();
    const [, page = ''] = read('deploy/Caddyfile').split('\treverse_proxy {\n');
    const secondsOf = (name: string): number =>
      Number(new RegExp(`^\\t*${name} (\\d+)s$`, 'm').exec(page)?.[1]);
    expect(secondsOf('fail_duration')).toBeGreaterThanOrEqual(secondsOf('refresh'));
    expect(secondsOf('fail_duration')).toBeLessThan(secondsOf('lb_try_duration'));
  });

  it('ask for secrets that are missing, and keep none', () => {
    for (const file of ['compose.yaml', 'compose.postgres.yaml'])
      for (const [, name, rule] of read(file).matchAll(/\$\{([A-Z_]*(?:TOKEN|PASSWORD))([^}]*)\}/g))
        expect(rule, name).toMatch(/^:\?set it in \.env/);
  });
});

describe('the files of platforms', () => {
  const fly = z
    .looseObject({
      kill_timeout: z.string(),
      build: z.object({ 'build-target': z.string() }),
      env: z.record(z.string(), z.string()),
      mounts: z.array(z.looseObject({ destination: z.literal('/data') })).length(1),
      http_service: z.looseObject({
        internal_port: z.number(),
        auto_stop_machines: z.literal('off'),
        checks: z.array(z.looseObject({ path: z.enum(OPS_PATHS) })),
      }),
      metrics: z.object({ port: z.number(), path: z.enum(OPS_PATHS) }),
      deploy: z.object({ strategy: z.literal('immediate') }),
    })
    .parse(parseToml(read('fly.toml')));
  const render = z
    .object({
      services: z
        .array(
          z.looseObject({
            runtime: z.literal('docker'),
            dockerfilePath: z.literal('./Dockerfile'),
            healthCheckPath: z.enum(OPS_PATHS),
            maxShutdownDelaySeconds: z.number(),
            envVars: z.array(z.looseObject({ key: z.string(), value: z.string().optional() })),
          }),
        )
        .length(1),
      databases: z.array(z.looseObject({ name: z.string(), ipAllowList: z.array(z.never()) })),
    })
    .parse(parse(read('render.yaml')));
  const [renderService] = render.services;
  const dockerfile = read('Dockerfile');
  const exposed = (name: string): string =>
    new RegExp(`\\b${name}=(\\d+)`).exec(dockerfile)?.[1] ?? '';

  it('name ports and a target of the image', () => {
    expect(String(fly.http_service.internal_port)).toBe(exposed('PORT'));
    expect(String(fly.metrics.port)).toBe(exposed('OPS_PORT'));
    expect(dockerfile).toContain(` AS ${fly.build['build-target']}\n`);
  });

  it('give Dragoman the time to finish what is under way', () => {
    expect(Number.parseInt(fly.kill_timeout, 10)).toBeGreaterThan(DRAIN_S + END_S);
    expect(renderService?.maxShutdownDelaySeconds).toBeGreaterThan(DRAIN_S + END_S);
  });

  const renderEnv = Object.fromEntries(
    (renderService?.envVars ?? []).map(({ key, value }) => [key, value]),
  );

  it('set only variables that there are, to what they may be', () => {
    const names = [...Object.keys(fly.env), ...Object.keys(renderEnv)];
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    expect(() => parseConfig(fly.env, sections)).not.toThrow();
    expect(() => parseConfig(renderEnv, sections)).not.toThrow();
  });

  const flyHeaders = {
    'fly-client-ip': '203.0.113.7',
    'x-forwarded-for': '198.51.100.1, 203.0.113.7, 66.241.124.1',
  };
  const renderHeaders = {
    'cf-connecting-ip': '203.0.113.7',
    'true-client-ip': '203.0.113.7',
    'x-forwarded-for': '198.51.100.1, 203.0.113.7, 172.70.247.28, 10.19.6.53',
  };

  it.each([
    { name: 'Fly.io', env: fly.env, proxies: ['172.19.0.1', 'fdaa::3'], headers: flyHeaders },
    { name: 'Render', env: renderEnv, proxies: ['10.19.6.53'], headers: renderHeaders },
  ])('find the client behind $name, by the word of its proxy', ({ env, proxies, headers }) => {
    const { web } = parseConfig(env, { web: webModule.config });
    const { TRUSTED_PROXIES, CLIENT_ADDRESS_HEADER } = web as {
      readonly TRUSTED_PROXIES: BlockList;
      readonly CLIENT_ADDRESS_HEADER: string;
    };
    const given = headers[CLIENT_ADDRESS_HEADER.toLowerCase() as keyof typeof headers];
    for (const remote of proxies) {
      expect(clientAddress(TRUSTED_PROXIES, remote, given)).toBe('203.0.113.7');
      expect(clientAddress(TRUSTED_PROXIES, remote, 'unknown')).toBe(remote);
    }
    expect(clientAddress(TRUSTED_PROXIES, '192.0.2.1', given)).toBe('192.0.2.1');
  });
});

describe('the release', () => {
  const step = z.looseObject({ run: z.string().optional(), uses: z.string().optional() });
  const job = z.looseObject({
    needs: z.string().optional(),
    permissions: z.record(z.string(), z.string()).optional(),
    strategy: z.object({ matrix: z.object({ runner: z.array(z.string()) }) }).optional(),
    steps: z.array(step),
  });
  const { check, image, release } = z
    .object({ jobs: z.object({ check: job, image: job, release: job }) })
    .parse(parse(read('.github/workflows/release.yaml'))).jobs;
  const scriptOf = ({ steps }: z.infer<typeof job>): string =>
    steps.map(({ run = '' }) => run).join('\n');

  it('is made of what was checked, of the version that its tag names', () => {
    expect([image.needs, release.needs]).toEqual(['check', 'image']);
    expect(scriptOf(check)).toContain('"$GITHUB_REF_NAME" = "v$(node -p');
    expect(scriptOf(check)).toContain('.ci/run');
  });

  it('has an image for each processor, tried before it is pushed, with its bill of materials', () => {
    expect(image.strategy?.matrix.runner).toEqual(['ubuntu-24.04', 'ubuntu-24.04-arm']);
    const script = scriptOf(image);
    expect(script.indexOf('= healthy ]')).toBeGreaterThan(0);
    expect(script.indexOf('--push')).toBeGreaterThan(script.indexOf('= healthy ]'));
    expect(script).toMatch(/buildx build --push --provenance mode=max --sbom true/);
    for (const processor of ['x86_64', 'aarch64'])
      expect(scriptOf(release)).toContain(`"$IMAGE:$GITHUB_SHA$variant-${processor}"`);
  });

  it('is signed: each image with its bill of materials, and the chart', () => {
    expect(release.permissions).toMatchObject({ 'id-token': 'write', attestations: 'write' });
    const script = scriptOf(release);
    expect(script).toContain('npm sbom --package-lock-only --omit dev');
    expect(script).toMatch(
      /for digest in "\$DIGEST" "\$FULL"; do\n\s*cosign sign --yes --recursive/,
    );
    expect(script).toContain('cosign attest --yes --type cyclonedx --predicate dragoman.cdx.json');
    expect(script).toContain('cosign sign --yes "$CHARTS/dragoman@');
    const uses = release.steps.map(({ uses: used = '' }) => used);
    expect(uses.some((used) => used.startsWith('actions/attest-build-provenance@'))).toBe(true);
  });

  it('names images without capital letters, whoever owns the repository', () => {
    const workflow = read('.github/workflows/release.yaml');
    expect(workflow).not.toMatch(/ghcr\.io\/\$\{\{/);
    const using = Object.entries({ check, image, release }).filter(([, part]) =>
      JSON.stringify(part).includes('$IMAGE'),
    );
    expect(using.map(([name]) => name)).toEqual(['image', 'release']);
    for (const [name, part] of using)
      expect(scriptOf(part), name).toContain('IMAGE=ghcr.io/${GITHUB_REPOSITORY,,}');
  });
});

describe('the page about hosting', () => {
  const page = read('docs/hosting.md');

  it('gives a start as root the capabilities that its script uses', () => {
    const advice = page.split('\n- ').find((item) => item.includes('--user 0')) ?? '';
    const script = read('scripts/dragoman.sh');
    for (const name of ['CHOWN', 'SETUID', 'SETGID']) {
      expect(advice).toContain(`--cap-add ${name}`);
      expect(script).toContain(name);
    }
  });

  it('says how to restore wherever Dragoman is hosted', () => {
    const [, part = ''] = page.split('## Back up and restore\n');
    for (const place of ['Kubernetes', 'Fly.io', 'Render']) {
      const commands = part.split(`### On ${place}\n`)[1]?.split('\n##')[0];
      expect(commands, place).toContain('dragoman db backup /data/backup.db');
      expect(commands, place).toContain('dragoman db restore /data/backup.db --replace');
    }
  });

  it('names only variables that there are', () => {
    const inCompose = [
      ...`${read('compose.yaml')}${read('compose.postgres.yaml')}`.matchAll(/\$\{([A-Z_]+)/g),
    ];
    const others = new Set([...inCompose.map(([, name]) => name), 'COMPOSE_FILE', 'OWNER', 'PWD']);
    const named = [...page.matchAll(/\b([A-Z]+(?:_[A-Z]+)+)\b/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.has(name) && !others.has(name))).toEqual([]);
  });

  it('names only values that the chart has', () => {
    const values = parse(read('deploy/helm/dragoman/values.yaml')) as object;
    const named = [...page.matchAll(/(?:`|--set )([a-z]\w+(?:\.\w+)+)(?:=|`)/gi)].map(
      ([, path = '']) => path,
    );
    const paths = named.filter((each) => !/\.(?:ya?ml|toml|json|org)$/.test(each));
    expect(paths.length).toBeGreaterThan(5);
    for (const path of paths) {
      const [first, variable = ''] = path.split('.');
      if (first === 'config') expect(known, path).toContain(variable);
      else {
        let value: unknown = values;
        for (const part of path.split('.'))
          value = (value as Record<string, unknown> | undefined)?.[part];
        expect(value, path).toBeDefined();
      }
    }
  });
});
