import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import { createBacklog } from '../../../src/autotranslate/backlog.ts';
import { channelKey } from '../../../src/model/place.ts';
import { createInboxStore } from '../../../src/store/inbox/index.ts';
import { latePartition, latePurpose } from '../../../src/store/inbox/row.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { channel, SPACE } from '../../fakes/channel-feed.ts';
import { fresh } from '../../fakes/opened.ts';
import { arrivalOf, messageOf } from '../store/inbox/support.ts';

const store = fresh(() => openStore('sqlite::memory:'));

/** Counts the queries of a store from now on. */
const counting = (of: Store): (() => number) => {
  let queries = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      queries += 1;
      return result;
    },
  };
  const counted = of.withPlugin(plugin);
  Object.assign(of, { selectFrom: counted.selectFrom.bind(counted) });
  return () => queries;
};

it('the late channels of a space are counted by one query, however many groups it has', async () => {
  const groups = Array.from({ length: 200 }, (_, at) =>
    mirrorOf([channel(`here ${at}`), 'en'], [channel(`there ${at}`), 'ja']).map((each) => ({
      ...each,
      group: `group ${at}`,
    })),
  );
  const inbox = createInboxStore({ store, now: () => 1 });
  for (const [id, at] of [7, 7, 150, 199].entries()) {
    const to = channelKey(channel(`there ${at}`));
    const partition = latePartition(`group ${at}`, to);
    const message = messageOf(id, 'hello', channel(`here ${at}`));
    await inbox.accept(arrivalOf(message, { purpose: latePurpose(to), partition }));
  }
  let watched = groups.slice(0, 2);
  const backlog = createBacklog({
    store,
    watches: {
      of: () => undefined,
      list: () => watched.flat(),
      group: ({ group }) => watched.find(([first]) => first?.group === group) ?? [],
    },
    gaps: { of: async () => [] },
    inbox,
    outages: { among: async () => undefined },
    recognitions: { reasonOf: async () => undefined },
    scheduler: { wake: () => undefined },
    platforms: { find: () => undefined },
    now: () => 1,
  });
  const queries = counting(store);
  expect((await backlog.inbox.backlog(SPACE)).late).toEqual([]);
  const few = queries();
  watched = groups;
  expect((await backlog.inbox.backlog(SPACE)).late).toEqual(
    [2, 1, 1].map((waiting) => ({ platform: 'place', language: 'ja', waiting })),
  );
  expect(queries() - few).toBe(few);
});
