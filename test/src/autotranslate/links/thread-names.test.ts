import { describe, expect, it } from 'vitest';
import { channelKey } from '../../../../src/model/place.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel, person, SPACE } from '../../../fakes/channel-feed.ts';
import { ENGLISH, withScene } from '../support.ts';
import { ADA, admitAll, linkIn, mirror } from './support.ts';

const NORD = channel('77', undefined, { ...SPACE, id: 'nord' });
const GUEST = channel('43', undefined, { ...SPACE, id: 'guests' });
const KEY = channelKey(GUEST);
const HOUR_MS = 3_600_000;

describe('the name of a thread that was begun in another server', () => {
  const scene = withScene();

  /** Begins a thread among the guests, answers in its copy here, and resolves with what Nord reads of it. */
  const namesInNord = async (meanwhile = async () => {}): Promise<string[]> => {
    scene.clock.aheadMs += HOUR_MS;
    const at = (ms: number) => ({
      position: String(Date.now() + HOUR_MS + ms).padStart(20, '0'),
    });
    const thread = scene.feed.startThread(GUEST, 'secret plans', { ownerId: 'mia' });
    await scene.say(thread, 'one', { author: person('mia'), ...at(1) });
    await scene.idle();
    await meanwhile();
    const [copy] = [...scene.feed.threads.keys()].filter((id) => id.startsWith(`${ENGLISH.id}/`));
    await scene.say(channel(copy!, ENGLISH.id), 'answer', { author: person('eva'), ...at(2) });
    await scene.idle();
    const names = [...scene.feed.threads].filter(([id]) => id.startsWith(`${NORD.id}/`));
    return [
      ...names.map(([, { name }]) => name),
      ...scene.feed.texts(NORD).filter((text) => text.startsWith('🧵')),
    ];
  };
  const admit = async (): Promise<void> => {
    scene.feed.nameSpace(NORD.space, 'Nord');
    scene.feed.nameSpace(GUEST.space, 'Acme');
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [NORD, 'fr']));
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    await linkIn(scene, code, mirror(GUEST, 'pt'), admitAll);
  };

  it('is shown where that server was agreed to, in one translation', async () => {
    await admit();
    const agree = async () => void (await scene.watches.agree(NORD, KEY));
    expect(await namesInNord(agree)).toEqual(['fr(secret plans)', '🧵 fr(secret plans)']);
  });

  it.each([
    ['that has not agreed', async () => undefined],
    [
      'that mutes it',
      async () => {
        await scene.watches.agree(NORD, KEY);
        await scene.watches.mute(NORD, KEY, true);
      },
    ],
    [
      'that stopped who gave it',
      async () => {
        await scene.watches.agree(NORD, KEY);
        const mia = { platform: SPACE.platform, id: 'mia' };
        await scene.blocks.add(NORD.space, mia, { name: 'mia', isBan: false });
      },
    ],
  ])('is not shown in a server %s', async (_, change) => {
    await admit();
    await change();
    expect(await namesInNord()).toEqual(['🧵', '🧵 🧵']);
  });
});
