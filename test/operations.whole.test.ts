import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { parser } from '@prometheus-io/lezer-promql';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { spawnDragoman } from './fakes/program.ts';

/** A metric that the program exports. */
interface Exported {
  readonly help: string;
  readonly type: string;
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const page = readFileSync('docs/operations.md', 'utf8');
const rules = (
  parse(readFileSync('deploy/prometheus-rules.yaml', 'utf8')) as {
    groups: readonly { rules: readonly Rule[] }[];
  }
).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readFileSync('deploy/grafana-dashboard.json', 'utf8')) as {
  panels: readonly Panel[];
};

/** Rows of the table of metrics: name, labels, meaning. */
const rows = (page.split('## Metrics')[1]?.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [, name = '', labels = '', meaning = ''] = line.split('|').map((cell) => cell.trim());
    return {
      name: name.replaceAll('`', ''),
      labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
      meaning,
    };
  });

/** Labels that Prometheus itself adds. */
const ADDED: ReadonlySet<string> = new Set(['instance', 'job', 'le']);

/** Dashboards have variables, which stand for a value of their kind. */
const VARIABLES = [
  ['$__rate_interval', '5m'],
  ['$instance', '.*'],
] as const;

/** Reads the names and labels in an expression of Prometheus, and where it is wrong. */
const readExpression = (expression: string) => {
  let text = expression;
  for (const [name, value] of VARIABLES) text = text.replaceAll(name, value);
  const names: string[] = [];
  const labels: string[] = [];
  const faults: number[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) faults.push(from);
      if (type.name === 'Identifier') names.push(text.slice(from, to));
      if (type.name === 'LabelName') labels.push(text.slice(from, to));
    },
  });
  return { names, labels, faults };
};

const expressions: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ id, targets = [] }) =>
    targets.map(({ expr }, at): [string, string] => [`panel ${id} ${at}`, expr]),
  ),
];

describe('what the program exports', () => {
  let exported: ReadonlyMap<string, Exported>;
  let samples: readonly string[];
  let end: unknown;
  let said = '';

  /** The whole program, with every platform, of which none answers. */
  beforeAll(async () => {
    const mute = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const away = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const child = spawnDragoman({
      PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'silent',
      DISCORD_TOKEN: 'a.b.c',
      DISCORD_API_URL: away,
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_SIGNING_SECRET: 'secret',
      SLACK_API_URL: `${away}/`,
      SLACK_PORT: '0',
    });
    const ended = once(child, 'exit');
    const written = child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false });
    for await (const piece of written) {
      said += String(piece);
      if (said.includes('on web') && said.includes('metrics: ')) break;
    }
    const [, url = ''] = /metrics: (\S+)/.exec(said) ?? [];
    const text = await (await fetch(`${url}/metrics`)).text();
    child.kill('SIGTERM');
    for await (const piece of child.stdout) said += String(piece);
    end = await ended;
    mute.close();
    const helps = new Map([...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map((m) => [m[1], m[2]]));
    exported = new Map(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [
        name,
        { type, help: helps.get(name) ?? '' },
      ]),
    );
    samples = text.split('\n').filter((line) => /^\w/.test(line));
  });

  it('ends with it at once when it is told to, though no platform has started', () => {
    expect(end).toEqual([0, null]);
    expect(said).not.toMatch(/Dragoman on (?:discord|slack)/);
  });

  it('is documented, each metric with the words of the code', () => {
    const documented = Object.fromEntries(rows.map(({ name, meaning }) => [name, meaning]));
    expect(documented).toEqual(
      Object.fromEntries([...exported].map(([name, { help }]) => [name, help])),
    );
    expect(rows).toHaveLength(exported.size);
  });

  it('has the names of Prometheus: a prefix, a unit, and _total for what only grows', () => {
    for (const [name, { type }] of exported) {
      expect(name).toMatch(/^(?:dragoman|process)_[a-z_]+$/);
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      if (type === 'histogram') expect(name).toMatch(/_(?:seconds|bytes|ratio)$/);
    }
  });

  it('has no labels but the documented ones', () => {
    const known = new Map(rows.map(({ name, labels }) => [name, labels]));
    for (const sample of samples) {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(sample) ?? [];
      const family = known.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '');
      const allowed = [...(known.get(family) ?? []), 'le'];
      for (const [, label = ''] of labels.matchAll(/(\w+)="/g))
        expect(allowed, sample).toContain(label);
    }
  });

  it.each(expressions)('has all that is asked for by %s', (_, expression) => {
    const { names, labels, faults } = readExpression(expression);
    expect(faults).toEqual([]);
    expect(names).not.toEqual([]);
    const allowed = new Set(ADDED);
    for (const name of names) {
      const isHistogram = exported.get(name.replace(/_(?:bucket|sum|count)$/, ''))?.type;
      const family =
        isHistogram === 'histogram' ? name.replace(/_(?:bucket|sum|count)$/, '') : name;
      expect([...exported.keys()]).toContain(family);
      // A histogram is asked for by its parts, and only a histogram has them.
      expect(name === family, name).toBe(exported.get(family)?.type !== 'histogram');
      for (const label of rows.find((row) => row.name === family)?.labels ?? []) allowed.add(label);
    }
    expect(labels.filter((label) => !allowed.has(label))).toEqual([]);
  });

  it('is on the dashboard, every metric of it', () => {
    const shown = expressions
      .filter(([where]) => where.startsWith('panel'))
      .flatMap(([, expression]) => readExpression(expression).names)
      .map((name) => name.replace(/_bucket$/, ''));
    const hidden = [...exported.keys()].filter((name) => !shown.includes(name));
    expect(hidden).toEqual(['process_start_time_seconds']);
  });
});

describe('the alerts', () => {
  const runbook = (page.split('## Alerts')[1]?.split('\n## ')[0] ?? '')
    .split('\n### ')
    .slice(1)
    .map((part) => {
      const [alert = '', ...text] = part.split('\n');
      return { alert, text: text.join('\n').trim() };
    });

  it('are documented one by one: what each means, and what to do', () => {
    expect(runbook.map(({ alert }) => alert)).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, text } of runbook) {
      expect(text, alert).toMatch(/^.+\n\n\*\*What to do:\*\* .+/s);
      expect(text.length, alert).toBeGreaterThan(150);
    }
  });

  it.each(rules)('$alert says how urgent it is, in one sentence', ({ labels, annotations }) => {
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/^Dragoman: \S.*(?:\w\)?|\}\})$/);
  });
});

describe('the dashboard', () => {
  it('has each panel once', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ type }) => type !== 'row').length).toBeGreaterThan(12);
  });
});
