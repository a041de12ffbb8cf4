import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/model/audit.ts';
import { channelKey, type Channel, type Space } from '../../../src/model/place.ts';
import { actAs } from '../../../src/store/actor.ts';
import { createAudit } from '../../../src/store/audit.ts';
import { blockKey, createBlocks } from '../../../src/store/blocks.ts';
import { openWatchStore } from '../../../src/store/channels/watches.ts';
import { openStore } from '../../../src/store/index.ts';
import { createPrivacy } from '../../../src/store/privacy/person-data.ts';
import { openSpaceData } from '../../../src/store/privacy/space-data.ts';
import { createSpaceSettings } from '../../../src/store/settings.ts';
import { mirrorOf, watchOf } from '../../fakes/autotranslate.ts';
import { channel, SPACE } from '../../fakes/channel-feed.ts';
import { OPEN_LINKS } from '../../../src/model/space.ts';
import { auditOf } from '../../fakes/audit.ts';
import { fresh } from '../../fakes/opened.ts';

const ELSEWHERE: Space = { platform: 'other', id: 'workspace' };
const [HERE, BESIDE] = [channel('here'), channel('beside')];
const THERE = channel('there', undefined, ELSEWHERE);
const ofChannel = (all: readonly AuditEntry[], id: string): readonly AuditEntry[] =>
  all.filter(({ channelId }) => channelId === id);
const ANN = { id: 'ann', name: 'Ann', space: SPACE };
const EVE = { platform: 'other', id: 'eve' };

describe('the audit trail', () => {
  const store = fresh(() => openStore('sqlite::memory:'));
  const list = (space = SPACE): Promise<readonly AuditEntry[]> => auditOf(store, space);

  it('has who changed a setting, and what it was before and after', async () => {
    const spaces = createSpaceSettings(store);
    await actAs(ANN, () =>
      spaces.change(SPACE, { dailyCharacters: 10_000, serverNames: 'always' }),
    );
    expect(await list()).toMatchObject([
      {
        what: 'setting',
        by: { id: 'ann', name: 'Ann' },
        before: {},
        after: { dailyCharacters: 10_000 },
      },
    ]);
  });

  it('has the newest first, also of one millisecond', async () => {
    const spaces = createSpaceSettings(store);
    const set = Array.from({ length: 30 }, (_, at) => at + 1);
    for (const dailyCharacters of set) await spaces.change(SPACE, { dailyCharacters });
    expect((await list()).map(({ after }) => after?.['dailyCharacters'])).toEqual(set.toReversed());
  });

  it('is read in slices, no entry twice', async () => {
    const spaces = createSpaceSettings(store);
    for (let limit = 1; limit <= 250; limit += 1)
      await spaces.change(SPACE, { dailyCharacters: limit });
    const slices = await Array.fromAsync(createAudit(store).list(SPACE));
    expect(slices.map(({ length }) => length)).toEqual([100, 100, 50]);
    const all = slices.flat().map(({ after }) => after?.['dailyCharacters']);
    expect(new Set(all).size).toBe(250);
    const [first = []] = await Array.fromAsync(createAudit(store).list(SPACE, slices[1]![0]!.atMs));
    expect(first[0]).toEqual(slices[1]![1]);
  });

  it('has nothing of what is set as it was', async () => {
    const spaces = createSpaceSettings(store);
    await spaces.change(SPACE, { answersMention: true });
    const watches = await openWatchStore(store, () => 1);
    await watches.set([watchOf(HERE)]);
    const before = await list();
    await watches.set([watchOf(HERE)]);
    expect([before.length, await list()]).toEqual([1, before]);
  });

  it('has a link on both sides, with who made it on theirs alone', async () => {
    const watches = await openWatchStore(
      store,
      () => 1,
      async ({ id }) => `name of ${id}`,
    );
    const group = mirrorOf([HERE, 'en'], [BESIDE, 'ja'], [THERE, 'fr']);
    await actAs(ANN, () => watches.set(group));
    expect(ofChannel(await list(), 'here')).toMatchObject([
      {
        what: 'watch',
        channelId: 'here',
        by: { id: 'ann' },
        after: { linkedWith: ['beside'], linkedElsewhere: ['name of there'] },
      },
    ]);
    expect(await list(ELSEWHERE)).toMatchObject([
      {
        channelId: 'there',
        by: undefined,
        after: { linkedWith: [], linkedElsewhere: ['name of beside', 'name of here'] },
      },
    ]);
    await watches.remove([THERE]);
    expect(ofChannel(await list(), 'here')).toMatchObject([
      { before: { linkedElsewhere: ['name of there'] }, after: { linkedElsewhere: [] } },
      {},
    ]);
  });

  it('has the names of the channels elsewhere of the group that a channel joins', async () => {
    const nameOf = async ({ id }: Channel) => `name of ${id}`;
    const watches = await openWatchStore(store, () => 1, nameOf);
    const [here, there, beside] = mirrorOf([HERE, 'en'], [THERE, 'fr'], [BESIDE, 'ja']);
    await watches.set([here!, there!]);
    await watches.update(BESIDE, () => [beside!]);
    expect(ofChannel(await list(), 'beside')).toMatchObject([
      { after: { linkedWith: ['here'], linkedElsewhere: ['name of there'] } },
    ]);
    expect(await list(ELSEWHERE)).toContainEqual(
      expect.objectContaining({
        before: { linkedElsewhere: ['name of here'] },
        after: { linkedElsewhere: ['name of beside', 'name of here'] },
      }),
    );
  });

  it('has the name of a channel whose copies are left out, and no ID of it', async () => {
    const watches = await openWatchStore(
      store,
      () => 1,
      async () => 'the name',
    );
    await watches.set(mirrorOf([HERE, 'en'], [THERE, 'fr']));
    const muted = { [channelKey(THERE)]: { fromMs: 1 } };
    await watches.update(HERE, (all) =>
      all
        .filter(({ channel: { id } }) => id === 'here')
        .map((watch) => ({ ...watch, choices: { muted } })),
    );
    expect((await list()).flatMap(({ after }) => after?.['muted'] ?? [])).toEqual(['the name']);
    expect(JSON.stringify(await list())).not.toContain('there');
  });

  it('holds no ID of a space that was removed, nor of a person who was forgotten', async () => {
    await createSpaceSettings(store).change(SPACE, {
      links: { ...OPEN_LINKS, outside: 'approved', approved: ['workspace', 'another'] },
      rules: { people: { of: ['bob', 'carl'] } },
    });
    const data = await openSpaceData(store);
    await data.leave(ELSEWHERE);
    await data.remove(ELSEWHERE);
    await createPrivacy(store).forget({ platform: SPACE.platform, id: 'bob' });
    expect(await list()).toMatchObject([
      { after: { links: { approved: ['', 'another'] }, rules: { people: { of: ['', 'carl'] } } } },
    ]);
  });

  it('has that copies were stopped, which holds without a name when people are forgotten', async () => {
    const blocks = createBlocks(store, () => 1);
    await actAs(ANN, () => blocks.add(SPACE, EVE, { name: 'Eve', isBan: false }));
    expect(await list()).toMatchObject([
      { what: 'blocked', about: blockKey(EVE), by: { id: 'ann' }, after: { name: 'Eve' } },
    ]);
    await blocks.remove(SPACE, blockKey(EVE));
    expect(await list()).toContainEqual(
      expect.objectContaining({ what: 'unblocked', after: { name: 'Eve' } }),
    );
    await blocks.add(SPACE, EVE, { name: 'Eve', isBan: false });
    const privacy = createPrivacy(store);
    await privacy.forget({ platform: 'place', id: 'ann' });
    await privacy.forget({ platform: 'other', id: 'eve' });
    expect(JSON.stringify(await list())).not.toMatch(/Eve|eve/);
    expect(await list()).toContainEqual(
      expect.objectContaining({ what: 'blocked', by: undefined, after: { isBan: false } }),
    );
    expect(await blocks.list(SPACE)).toMatchObject([{ key: blockKey(EVE), name: undefined }]);
  });

  it('goes with its space', async () => {
    await createSpaceSettings(store).change(SPACE, { dailyCharacters: 1 });
    const data = await openSpaceData(store);
    await data.leave(SPACE);
    await data.remove(SPACE);
    expect(await list()).toEqual([]);
  });

  it('is written as CSV that runs nothing in a spreadsheet', async () => {
    const spaces = createSpaceSettings(store);
    await actAs({ ...ANN, name: '=HYPERLINK("x")' }, () =>
      spaces.change(SPACE, { dailyCharacters: 1 }),
    );
    const csv = Buffer.from(
      await createAudit(store).csv(await list(), (entry) => ({
        entry,
        channel: '#here',
        said: '=1',
      })),
    ).toString();
    expect(csv).toContain(
      `ann,"'=HYPERLINK(""x"")",setting,,#here,'=1,,{},"{""dailyCharacters"":1}"`,
    );
  });
});
