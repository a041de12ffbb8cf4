import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import { actAs } from '../../../../src/store/actor.ts';
import { createFormerSetups } from '../../../../src/store/channels/former-setups.ts';
import { openWatchStore } from '../../../../src/store/channels/watches.ts';
import { openStore } from '../../../../src/store/index.ts';
import { clearOld } from '../../../../src/store/privacy/clear-old.ts';
import { createPrivacy } from '../../../../src/store/privacy/person-data.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { auditOf } from '../../../fakes/audit.ts';
import { NO_HORIZONS } from '../../../fakes/horizons.ts';
import { ENGINES } from '../tool/support.ts';

const SPACE = { platform: 'test', id: 's' };
const HERE = { space: SPACE, id: 'here' };
const THERE = { space: { platform: 'test', id: 'other' }, id: 'there' };
const ANN = { id: 'ann', name: 'Ann', space: SPACE };
const OWN = watchOf(HERE, { mode: 'compact', languages: ['ja', 'es'], bots: true });

const open = async (url: string) => {
  const store = await openStore(url);
  onTestFinished(() => store.destroy());
  const watches = await openWatchStore(store, () => 1);
  const formers = createFormerSetups(store);
  const link = (group = 'g', language = 'en') =>
    watches.set(mirrorOf([HERE, language], [THERE, 'fr']).map((watch) => ({ ...watch, group })));
  const change = (how: (watch: ChannelWatch) => ChannelWatch) =>
    watches.update(HERE, (all) => all.filter(({ channel }) => channel.id === HERE.id).map(how));
  return { store, watches, formers, link, change };
};

describe.each(ENGINES)('what a link replaced in a channel, on $engine', ({ make }) => {
  it.each<[string, ChannelWatch]>([
    ['in lines', OWN],
    ['in threads', watchOf(HERE, { mode: 'thread', transcribes: false })],
    ['below each message', watchOf(HERE, { below: true })],
    ['on request', watchOf(HERE, { mode: 'request', languages: [] })],
    ['in one language that the link has, too', watchOf(HERE, { languages: ['en'] })],
  ])('is known once the link ended, by that end: %s', async (_, watch) => {
    const { store, watches, formers, link } = await open(await make());
    await watches.set([watch]);
    await link();
    expect(await formers.of(HERE)).toBeUndefined();
    await watches.remove([THERE]);
    const [end] = await auditOf(store, SPACE);
    expect(await formers.of(HERE)).toEqual({ id: end?.id, watch });
    expect(await formers.of(THERE)).toBeUndefined();
  });

  it('is known whatever was changed of the link, without the rules, which outlast it by themselves', async () => {
    const { store, watches, formers, link, change } = await open(await make());
    await watches.set([{ ...OWN, choices: { rules: { shortest: 3 } } }]);
    await link();
    await change((watch) => ({ ...watch, languages: ['de'], bots: true, transcribes: false }));
    await change((watch) => ({ ...watch, choices: { rules: { shortest: 5 } } }));
    await link('other', 'pt');
    expect(await formers.of(HERE)).toBeUndefined();
    await createPrivacy(store).forget({ platform: 'test', id: 'ann' });
    await watches.remove([HERE]);
    expect((await formers.of(HERE))?.watch).toEqual(OWN);
  });

  it('is the same where the end was undone and the link ended again', async () => {
    const { watches, formers, link } = await open(await make());
    await watches.set([OWN]);
    await link();
    await watches.remove([HERE]);
    await actAs({ ...ANN, isUndo: true }, () => link());
    await watches.remove([HERE]);
    expect((await formers.of(HERE))?.watch).toEqual(OWN);
  });

  it.each<[string, (opened: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
    ['the channel was off before the link', async ({ link }) => link()],
    [
      'it was turned off before the link',
      async ({ watches, link }) => {
        await watches.set([OWN]);
        await watches.remove([HERE]);
        await link();
      },
    ],
    ['it was not linked', async ({ watches }) => watches.set([OWN])],
    [
      'it was set up otherwise after the link',
      async ({ watches, link }) => {
        await watches.set([OWN]);
        await link();
        await watches.set([watchOf(HERE, { transcribes: false, bots: true })]);
      },
    ],
    [
      'the changes from before are cleared',
      async ({ store, watches, link }) => {
        await watches.set([OWN]);
        await link();
        await clearOld(store, { ...NO_HORIZONS, auditMs: Number.MAX_SAFE_INTEGER });
      },
    ],
    [
      'another version stored something else',
      async ({ store, watches, link }) => {
        await watches.set([OWN]);
        await link();
        await store.write((db) =>
          db
            .updateTable('audit_entry')
            .set({ before: '{"mode":"sung"}' })
            .where('before', 'is not', null)
            .execute(),
        );
      },
    ],
  ])('is not known where %s', async (_, before) => {
    const opened = await open(await make());
    await before(opened);
    expect(await opened.formers.of(HERE)).toBeUndefined();
    await opened.watches.remove([HERE]);
    expect(await opened.formers.of(HERE)).toBeUndefined();
  });
});
