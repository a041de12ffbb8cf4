import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLooks } from '../../../../src/autotranslate/reactions/looks.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { GENERAL } from '../support.ts';

it('looks at reactions are made one after the other in each group, and at once in others', async () => {
  const underWay: string[] = [];
  const seen: string[][] = [];
  const looks = createLooks({
    look: async ({ group }) => {
      seen.push([...underWay, group]);
      underWay.push(group);
      await setImmediate();
      underWay.splice(underWay.indexOf(group), 1);
      return true;
    },
    log: silentLog,
    nowMs: () => 0,
  });
  for (const [at, group] of ['a', 'a', 'b'].entries())
    looks.add({ ref: { channel: GENERAL, id: `${at}` }, emoji: '👍', group });
  await looks.idle();
  expect(seen).toHaveLength(3);
  expect(seen).toContainEqual(['a', 'b']);
  expect(seen.filter((groups) => new Set(groups).size < groups.length)).toEqual([]);
});
