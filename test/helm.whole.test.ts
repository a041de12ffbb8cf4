import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { engineSection } from '../service/config.ts';

const CHART = 'deploy/helm/dragoman';
/** Helm believes that it talks to this one, however old it is itself. */
const KUBERNETES = '1.29.0';
const HELM = process.env['HELM_PATH'] ?? 'helm';
const hasHelm = spawnSync(HELM, ['version']).status === 0;
const needed = hasHelm
  ? ''
  : ' (skipped: helm is not installed, https://helm.sh/docs/intro/install)';

const probe = z.looseObject({
  httpGet: z.object({ path: z.string(), port: z.string() }).optional(),
});
const pod = z.looseObject({
  terminationGracePeriodSeconds: z.number().optional(),
  automountServiceAccountToken: z.literal(false),
  securityContext: z.looseObject({
    runAsNonRoot: z.literal(true),
    seccompProfile: z.object({ type: z.literal('RuntimeDefault') }),
  }),
  containers: z.array(
    z.looseObject({
      securityContext: z.object({
        allowPrivilegeEscalation: z.literal(false),
        readOnlyRootFilesystem: z.literal(true),
        capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
      }),
      env: z
        .array(
          z.looseObject({
            name: z.string(),
            value: z.string().optional(),
            valueFrom: z
              .object({
                secretKeyRef: z.looseObject({ name: z.literal('secret'), key: z.string() }),
              })
              .optional(),
          }),
        )
        .default([]),
      envFrom: z.never().optional(),
      lifecycle: z.unknown().optional(),
      livenessProbe: probe.optional(),
      readinessProbe: probe.optional(),
      resources: z.looseObject({ limits: z.looseObject({ memory: z.string() }) }),
      volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
    }),
  ),
  volumes: z.array(z.looseObject({ name: z.string() })),
});
const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({}).optional(),
});
type KubernetesObject = z.infer<typeof object>;

const helm = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(HELM, words, { encoding: 'utf8' });
  return { status, stdout, stderr };
};

/** Renders the chart with these values, each as `name=value`. */
const template = (values: readonly string[]): ReturnType<typeof helm> => {
  const sets = ['existingSecret=secret', ...values].flatMap((value) => ['--set', value]);
  return helm('template', 'dragoman', CHART, '--kube-version', KUBERNETES, ...sets);
};

/** What is rendered with these values, each as `name=value`. */
const render = (...values: string[]): readonly KubernetesObject[] => {
  const { status, stdout, stderr } = template(values);
  expect(status, stderr).toBe(0);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as unknown)
    .filter((value) => value !== null)
    .map((value) => object.parse(value));
};

const named = (objects: readonly KubernetesObject[]): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();

const deployments = (objects: readonly KubernetesObject[]) =>
  objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ kind, metadata, spec }) => {
      const given = z
        .looseObject({
          replicas: z.number().optional(),
          strategy: z.looseObject({ type: z.string() }).optional(),
          template: z.looseObject({ spec: pod }),
        })
        .parse(spec);
      return { kind, name: metadata.name, ...given, pod: given.template.spec };
    });

/** Everything that can be turned on. */
const EVERYTHING = [
  'autoscaling.enabled=true',
  'ingress.enabled=true',
  'ingress.slack=true',
  'monitoring.serviceMonitor=true',
  'monitoring.prometheusRule=true',
  'monitoring.dashboard=true',
  'networkPolicy.egressTo[0].ipBlock.cidr=0.0.0.0/0',
  'config.LOG_LEVEL=debug',
  'image.digest=sha256:0123',
];

describe.runIf(hasHelm)('the chart, rendered', () => {
  it('is found in order by helm', () => {
    const { status, stdout } = helm('lint', '--strict', CHART, '--set', 'existingSecret=secret');
    expect(status, stdout).toBe(0);
  });

  it.each([
    ['PostgreSQL', []],
    ['everything', EVERYTHING],
    ['SQLite', ['database=sqlite']],
    ['KEDA', ['autoscaling.enabled=true', 'autoscaling.kind=keda']],
    ['maintenance', ['maintenance=true']],
  ])('is what Kubernetes takes: %s', async (_, values) => {
    const own = render(...values).filter(({ apiVersion }) => !/keda|coreos/.test(apiVersion));
    expect(own.length).toBeGreaterThan(5);
    for (const each of own) {
      const path = `kubernetes-models/${each.apiVersion}/${each.kind}`;
      const { [each.kind]: Model } = (await import(path)) as Record<
        string,
        new (data: unknown) => { validate(): void }
      >;
      if (!Model) throw new Error(`there is no ${path}`);
      expect(() => new Model(each).validate(), `${each.kind} ${each.metadata.name}`).not.toThrow();
    }
  });

  it('has no field that Kubernetes does not know', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-chart-'));
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'));
    const own = [...render(...EVERYTHING), ...render('database=sqlite')].filter(
      ({ apiVersion }) => !apiVersion.includes('coreos'),
    );
    const lines = own.map(
      ({ apiVersion, kind, ...rest }, index) =>
        `import type { I${kind} as T${index} } from 'kubernetes-models/${apiVersion}/${kind}';\n` +
        `export const o${index}: T${index} = ${JSON.stringify({ apiVersion, kind, ...rest })};`,
    );
    writeFileSync(join(folder, 'objects.ts'), lines.join('\n'));
    const words = ['--noEmit', '--skipLibCheck', '--strict', '--module', 'nodenext', 'objects.ts'];
    const tsc = join(import.meta.dirname, '../node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect(stdout.slice(0, 2_000)).toBe('');
    expect(status).toBe(0);
  });

  it('runs each role on its own with PostgreSQL, after the migration', () => {
    const objects = render();
    expect(
      deployments(objects)
        .map(({ kind, name }) => `${kind} ${name}`)
        .toSorted(),
    ).toEqual([
      'Deployment dragoman-gateway',
      'Deployment dragoman-service',
      'Deployment dragoman-web',
      'Deployment dragoman-worker',
      'Job dragoman-migration',
    ]);
    const job = objects.find(({ kind }) => kind === 'Job');
    expect(job?.metadata['annotations']).toMatchObject({
      'helm.sh/hook': 'pre-install,pre-upgrade',
    });
    for (const {
      kind,
      pod: { containers },
    } of deployments(objects)) {
      const { SPEECH_API_URL, ROLES } = Object.fromEntries(
        containers[0]!.env.map(({ name, value }) => [name, value]),
      );
      if (kind === 'Deployment' && ROLES !== 'service')
        expect(SPEECH_API_URL).toBe('http://dragoman-service:8090');
    }
  });

  it('runs one process with a volume with SQLite, and ends the old one first', () => {
    const objects = render('database=sqlite');
    const [only, ...others] = deployments(objects);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(only?.pod.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'dragoman' },
    });
    expect(named(objects)).toContain('PersistentVolumeClaim dragoman');
  });

  it.each([[[]], [EVERYTHING], [['database=sqlite', 'drainSeconds=60']]])(
    'confines each process, asks how it is, and lets it end: %j',
    (values) => {
      for (const { kind, name, pod: each } of deployments(render(...values))) {
        const [container] = each.containers;
        const env = Object.fromEntries(container!.env.map((one) => [one.name, one.value]));
        if (kind === 'Job') continue;
        expect(container?.livenessProbe?.httpGet, name).toEqual({ path: '/healthz', port: 'ops' });
        expect(container?.readinessProbe?.httpGet, name).toEqual({ path: '/readyz', port: 'ops' });
        const pause = { preStop: { exec: { command: ['sleep', '5'] } } };
        const isServer = env['ROLES'] !== 'worker';
        expect(container?.lifecycle, name).toEqual(isServer ? pause : undefined);
        expect(each.terminationGracePeriodSeconds).toBe(Number(env['DRAIN_S']) + 20);
        expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
          '/data',
          '/tmp',
        ]);
      }
    },
  );

  it('guards only what has several processes against disruptions', () => {
    const budgets = (...values: string[]): readonly string[] =>
      named(render(...values)).filter((name) => name.startsWith('PodDisruptionBudget'));
    expect(budgets()).toEqual([
      'PodDisruptionBudget dragoman-gateway',
      'PodDisruptionBudget dragoman-worker',
    ]);
    expect(budgets('roles.gateway.replicas=1', 'roles.worker.replicas=1')).toEqual([]);
    expect(budgets('database=sqlite')).toEqual([]);
    // An autoscaler may leave one worker.
    const scaled = ['autoscaling.enabled=true', 'autoscaling.minReplicas=1'];
    expect(budgets(...scaled)).toEqual(['PodDisruptionBudget dragoman-gateway']);
  });

  it('gives each process those keys of the secret that its role reads', () => {
    const keysIn = (...values: string[]) =>
      Object.fromEntries(
        deployments(render(...values)).map(({ name, pod: { containers } }) => {
          const given = containers[0]!.env.filter(({ valueFrom }) => valueFrom !== undefined);
          for (const one of given) {
            const { key, optional } = one.valueFrom!.secretKeyRef;
            expect([one.name, optional]).toEqual([key, key === 'DATABASE_URL' ? undefined : true]);
          }
          return [name.replace('dragoman-', ''), given.map((one) => one.name).toSorted()];
        }),
      );
    const every = ['METRICS_TOKEN', 'OTEL_EXPORTER_OTLP_HEADERS'];
    const core = ['DATABASE_URL', 'ENCRYPTION_KEY', 'SPEECH_API_KEY', ...every];
    const slack = ['APP_TOKEN', 'BOT_TOKEN', 'CLIENT_ID', 'CLIENT_SECRET', 'SIGNING_SECRET'];
    const chat = [...core, 'DISCORD_TOKEN', ...slack.map((name) => `SLACK_${name}`)].toSorted();
    const engines = Object.keys(engineSection.shape).filter((name) => name.endsWith('_KEY'));
    expect(keysIn('maintenance=true')).toEqual({
      gateway: chat,
      worker: chat,
      web: [...core, 'WEB_TOKEN'].toSorted(),
      service: [...every, 'SERVICE_KEYS', ...engines].toSorted(),
      migration: ['DATABASE_URL'],
      maintenance: ['DATABASE_URL'],
    });
    const one = [...chat, 'WEB_TOKEN', ...engines].filter((key) => key !== 'DATABASE_URL');
    expect(keysIn('database=sqlite', 'maintenance=true')).toEqual({
      all: one.toSorted(),
      maintenance: [],
    });
    // Each variable once: what is set in config is not taken from the secret.
    expect(keysIn('config.SLACK_CLIENT_ID=1.2')['gateway']).not.toContain('SLACK_CLIENT_ID');
  });

  it('stops everything for maintenance, and starts one pod that waits for commands', () => {
    const scaled = ['autoscaling.enabled=true', 'autoscaling.kind=keda', 'maintenance=true'];
    const replicas = deployments(render(...scaled))
      .filter(({ kind }) => kind === 'Deployment')
      .map((each) => [each.name, each.replicas]);
    expect(Object.fromEntries(replicas)).toEqual({
      'dragoman-gateway': 0,
      'dragoman-maintenance': 1,
      'dragoman-service': 0,
      'dragoman-web': 0,
      'dragoman-worker': 0,
    });
    const kinds = render(...scaled).map(({ kind }) => kind);
    expect(kinds).not.toContain('ScaledObject');
    expect(kinds).not.toContain('PodDisruptionBudget');
    const sqlite = deployments(render('database=sqlite', 'maintenance=true'));
    const claim = { name: 'data', persistentVolumeClaim: { claimName: 'dragoman' } };
    expect(sqlite.map((each) => [each.name, each.replicas])).toContainEqual(['dragoman-all', 0]);
    for (const each of sqlite) expect(each.pod.volumes, each.name).toContainEqual(claim);
  });

  it('shows Prometheus the token of the metrics', () => {
    const endpoint = (...values: string[]): unknown =>
      render('monitoring.serviceMonitor=true', ...values).find(
        ({ kind }) => kind === 'ServiceMonitor',
      )?.spec?.['endpoints'];
    expect(endpoint()).toEqual([{ port: 'ops', interval: '15s' }]);
    const credentials = { name: 'secret', key: 'METRICS_TOKEN' };
    expect(endpoint('monitoring.tokenKey=METRICS_TOKEN')).toEqual([
      { port: 'ops', interval: '15s', authorization: { credentials } },
    ]);
  });

  it('leads /slack to the gateways, and all else to the page', () => {
    const objects = render('ingress.enabled=true', 'ingress.slack=true');
    const rules = objects.find(({ kind }) => kind === 'Ingress')?.spec?.['rules'];
    const backend = (name: string, port: string) => ({
      service: { name, port: { name: port } },
    });
    expect(rules).toMatchObject([
      {
        http: {
          paths: [
            { path: '/slack', backend: backend('dragoman-slack', 'slack') },
            { path: '/', backend: backend('dragoman-web', 'http') },
          ],
        },
      },
    ]);
    const slack = objects.find(({ metadata }) => metadata.name === 'dragoman-slack');
    expect(slack?.spec?.['selector']).toMatchObject({ 'app.kubernetes.io/component': 'gateway' });
  });

  it('lets only its own pods reach the service', () => {
    const policy = render().find(({ kind }) => kind === 'NetworkPolicy')?.spec;
    const own = { 'app.kubernetes.io/name': 'dragoman', 'app.kubernetes.io/instance': 'dragoman' };
    expect(policy?.['podSelector']).toEqual({ matchLabels: own });
    expect(policy?.['ingress']).toEqual([
      { ports: [{ port: 'http' }, { port: 'slack' }] },
      { ports: [{ port: 'ops' }], from: [{ namespaceSelector: {} }] },
      { ports: [{ port: 'speech' }], from: [{ podSelector: { matchLabels: own } }] },
    ]);
  });

  it('leaves the number of workers to the autoscaler, which goes by the message that waits longest', () => {
    const objects = render('autoscaling.enabled=true');
    const worker = deployments(objects).find(({ name }) => name === 'dragoman-worker');
    expect(worker?.replicas).toBeUndefined();
    expect(named(objects)).toContain('HorizontalPodAutoscaler dragoman-worker');
    const scaler = objects.find(({ kind }) => kind === 'HorizontalPodAutoscaler')?.spec;
    const metric = { name: 'dragoman_inbox_oldest_waiting_seconds' };
    expect(scaler?.['metrics']).toMatchObject([
      { type: 'External', external: { metric, target: { type: 'Value' } } },
    ]);
  });

  it('shows the alerts and the dashboard as they are in this tree', () => {
    const objects = render(...EVERYTHING);
    expect(objects.find(({ kind }) => kind === 'PrometheusRule')?.spec).toEqual(
      parse(readFileSync('deploy/prometheus-rules.yaml', 'utf8')),
    );
    const dashboard = objects.find(({ kind }) => kind === 'ConfigMap')?.['data'];
    expect(dashboard).toEqual({
      'dragoman.json': readFileSync('deploy/grafana-dashboard.json', 'utf8'),
    });
  });

  it.each([
    [['existingSecret='], 'existingSecret must name a secret'],
    [['roles.service.enabled=false'], 'config.SPEECH_API_URL must be set'],
    [['database=sqlite', 'autoscaling.enabled=true'], 'autoscaling needs database: postgres'],
    [['config.DRAIN_S=60'], 'config.DRAIN_S cannot be set'],
    [['config.SPEECH_API_URL=http://elsewhere'], 'roles.service.enabled=false'],
    [['autoscaling.minReplicas=11'], 'must not be above autoscaling.maxReplicas'],
    [['roles.service.replicas=2'], 'needs persistence.accessMode ReadWriteMany'],
    [['ingress.enabled=true', 'roles.web.replicas=2'], 'keep a browser at one pod'],
    [['database=mysql'], 'database'],
    [['roles.worker.replica=3'], 'replica'],
  ])('says what is wrong with %j', (values, said) => {
    const { status, stderr } = template(values);
    expect(status).not.toBe(0);
    expect(stderr).toContain(said);
  });
});

it.skipIf(hasHelm)(`the chart is rendered${needed}`, () => undefined);
