import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { openStore } from '../../../../src/store/index.ts';
import { arrivalOf, EARLIER, messageOf, PARTITION } from '../inbox/support.ts';

/** Whether two rows, of which the first was claimed before, may stand in part already. */
const afterRestart = async (
  before: string | undefined,
  ...after: readonly (string | undefined)[]
): Promise<readonly boolean[]> => {
  const url = `sqlite:${join(mkdtempSync(join(tmpdir(), 'dragoman-')), 'x.db')}`;
  const now = (): number => 1_000;
  {
    await using store = await openStore(url, { bootIdOf: () => before });
    const inbox = createInboxStore({ store, now });
    for (const id of [1, 2]) await inbox.accept(arrivalOf(messageOf(id)));
    await inbox.claim(PARTITION, 1, EARLIER);
  }
  // Processes that end before they do anything.
  for (const bootId of after.slice(0, -1))
    await (await openStore(url, { bootIdOf: () => bootId })).destroy();
  await using store = await openStore(url, { bootIdOf: () => after.at(-1) });
  const { rows } = await createInboxStore({ store, now }).claim(PARTITION, 2, EARLIER);
  return rows.map(({ mayExist }) => mayExist);
};

it.each([
  ['the process ended', ['a', 'a'], [true, false]],
  ['the machine ended', ['a', 'b'], [true, true]],
  ['the machine ended, then another process', ['a', 'b', 'b'], [true, true]],
  ['nobody knows whether the machine ended', [undefined, undefined], [true, true]],
  ['it is not known any more', ['a', undefined, 'a'], [true, true]],
] as const)('rows may stand in part when %s', async (_, [before, ...after], may) => {
  expect(await afterRestart(before, ...after)).toEqual(may);
});
