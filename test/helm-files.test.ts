import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { engineSection, serverSection } from '../service/config.ts';
import { adapterFault, type AdapterModule } from '../src/adapter.ts';
import { coreSection } from '../src/app/core-config.ts';
import { discover } from '../src/app/modules.ts';
import { opsSection } from '../src/ops/pages.ts';
import { tracingSection } from '../src/telemetry/open-telemetry.ts';

const CHART = 'deploy/helm/dragoman';

const adapters = await discover<AdapterModule>('adapters', adapterFault);
const known = new Set(
  [
    coreSection,
    opsSection,
    engineSection,
    serverSection,
    tracingSection,
    ...adapters.map(({ config }) => config),
  ].flatMap((section) => Object.keys(section.shape)),
);

describe('the files of the chart', () => {
  it('has the version of the program', () => {
    const chart = parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8')) as Record<string, unknown>;
    const { version } = manifest;
    expect(chart).toMatchObject({ version, appVersion: version });
  });

  it('sets only variables that there are', () => {
    const texts = readdirSync(`${CHART}/templates`).map((name) =>
      readFileSync(`${CHART}/templates/${name}`, 'utf8'),
    );
    const set = texts.flatMap((text) =>
      [...text.matchAll(/^\s*- name: ([A-Z][A-Z_]+)$/gm)].map(([, name = '']) => name),
    );
    expect(set.length).toBeGreaterThan(8);
    expect(set.filter((name) => !known.has(name))).toEqual([]);
  });

  it('takes every variable that is secret from the secret', () => {
    const secret = [...known].filter((name) => /(?:TOKEN|KEYS?|SECRET|HEADERS)$/.test(name));
    expect(secret.length).toBeGreaterThan(10);
    const text = readFileSync(`${CHART}/templates/_helpers.tpl`, 'utf8');
    expect(secret.filter((name) => !text.includes(`"${name}"`))).toEqual([]);
  });

  it('scales by a metric that the program exports', () => {
    const text = readFileSync(`${CHART}/templates/autoscaling.yaml`, 'utf8');
    const asked = [...text.matchAll(/\bdragoman_\w+/g)].map(([name]) => name);
    expect(asked).toHaveLength(2);
    const page = readFileSync('docs/operations.md', 'utf8');
    for (const name of asked) expect(page).toContain(`| \`${name}\` `);
  });

  it('has the dashboard and the alerts of this tree', () => {
    for (const name of readdirSync(`${CHART}/files`))
      expect(readFileSync(`${CHART}/files/${name}`)).toEqual(readFileSync(`deploy/${name}`));
  });
});
