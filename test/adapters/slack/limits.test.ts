import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RATES } from '../../../adapters/slack/limits.ts';
import { SPECIAL } from '../../fakes/slack/limits.ts';
import { METHODS } from '../../fakes/slack/methods/index.ts';

/** Called rarely and without a workspace's limits: at a start, by an installation, by the doctor. */
const OUTSIDE = ['apps.connections.open', 'auth.teams.list', 'auth.test', 'oauth.v2.access'];
const FAMILIES =
  'apps|assistant|auth|chat|conversations|files|oauth|pins|reactions|usergroups|users|views';

it('each method that the source names has its rate, and each that has one is named', () => {
  const sources = globSync('adapters/slack/**/*.ts').filter(
    (file) => !file.endsWith('/slack/limits.ts'),
  );
  const named = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(new RegExp(`'((?:${FAMILIES})\\.[\\w.]+)'`, 'g'))].map(
      ([, method]) => method ?? '',
    ),
  );
  const scanned = new Set(named.filter((name) => METHODS.some((method) => method.name === name)));
  for (const name of OUTSIDE) scanned.delete(name);
  expect([...scanned].toSorted()).toEqual(Object.keys(RATES).toSorted());
});

it.each(Object.entries(RATES))('%s has the rate that Slack enforces', (name, { calls, perMs }) => {
  const method = METHODS.find((each) => each.name === name);
  expect(perMs).toBe(60_000);
  // Of "several hundred" a minute, the half is kept.
  expect(calls).toBe(method?.rate === SPECIAL ? SPECIAL.count / 2 : method?.rate.count);
});
