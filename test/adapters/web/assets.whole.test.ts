import { expect, it } from 'vitest';
import { createAssets } from '../../../adapters/web/assets.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { eventually } from '../../fakes/eventually.ts';

const log = createLog('silent');

/** Processes that this one has started and that still run. */
const children = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;

it('strips the types of a module only once it is requested, in a process that ends with the page', async () => {
  const before = children();
  const assets = createAssets(log);
  expect(children()).toBe(before);
  const [first, second] = await Promise.all(
    ['/page/main.ts', '/page/main.ts'].map(async (path) =>
      (await assets.routes.request(path)).text(),
    ),
  );
  expect(first).not.toContain('import type');
  expect(second).toBe(first);
  expect(children()).toBe(before + 1);
  await assets[Symbol.asyncDispose]();
  await eventually(() => expect(children()).toBe(before));
});

it('leaves a module unserved where the page has stopped', async () => {
  const assets = createAssets(log);
  await assets[Symbol.asyncDispose]();
  expect((await assets.routes.request('/page/main.ts')).status).toBe(500);
});
