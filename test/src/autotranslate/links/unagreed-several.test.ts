import { beforeEach, describe, expect, it } from 'vitest';
import { channelKey, type Channel } from '../../../../src/model/place.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel, person } from '../../../fakes/channel-feed.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, withScene, WORKSPACE } from '../support.ts';
import { ADA, admitAll, linkIn, mirror, THERE } from './support.ts';

const ACME = channel('43', undefined, { ...WORKSPACE, id: 'guests' });
const ZETA = channel('46', undefined, { ...WORKSPACE, id: 'zeta' });
const MORE = channel('44', undefined, WORKSPACE);
const HOUR_MS = 3_600_000;

describe('servers that came into a group without a yes of one of its servers', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
  const join = async (of: Channel, language: string): Promise<void> => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    await linkIn(scene, code, mirror(of, language), admitAll);
  };
  beforeEach(async () => {
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    scene.other.nameSpace(WORKSPACE, 'Nord');
    scene.other.nameSpace(ACME.space, 'Acme');
    scene.other.nameSpace(ZETA.space, 'Zeta');
    await join(ACME, 'pt');
  });

  it('are told of with buttons of their own each, where a further channel is linked', async () => {
    await join({ ...ACME, id: '47' }, 'ko');
    await join(ZETA, 'it');
    await join(MORE, 'de');
    const told = (of: readonly string[]): string => {
      const channels = new Intl.ListFormat('de').format(of);
      const params = { channels, channel: '', count: of.length };
      return sentence('autotranslate.unagreed-here', params, 'de', 'under interpreter');
    };
    const acme = ['43', '47'].map((id) => `#channel-${id} · Acme (Other)`);
    await expect
      .poll(() =>
        scene.other
          .texts(MORE)
          .filter((text) => text.includes('Acme'))
          .join('\n'),
      )
      .toContain(told(acme));
    await expect
      .poll(() =>
        scene.other
          .texts(MORE)
          .filter((text) => text.includes('Zeta'))
          .join('\n'),
      )
      .toContain(told(['#channel-46 · Zeta (Other)']));
    expect(scene.other.asked(MORE)).toEqual(
      [ACME, ZETA].flatMap((each) =>
        ['letin', 'keepout'].map((word) => `autotranslate ${word}:44|${channelKey(each)}`),
      ),
    );
  });

  it('are let in with all of their channels, which are named', async () => {
    await join({ ...ACME, id: '47' }, 'ko');
    const names = await scene.watches.agree(THERE, channelKey(ACME));
    expect(names).toEqual(['#channel-43 · Acme (Other)', '#channel-47 · Acme (Other)']);
    expect(await scene.watches.agree(THERE, channelKey(ACME))).toEqual([]);
  });

  it('have no words in the context of what is translated for that server, until it agrees', async () => {
    let hours = 0;
    const say = async (of: Channel, text: string, part = {}): Promise<void> => {
      hours += 1;
      scene.clock.aheadMs = hours * HOUR_MS;
      const position = String(Date.now() + hours * HOUR_MS).padStart(20, '0');
      await scene.say(of, text, { position, ...part });
      await scene.idle();
    };
    await say(ACME, 'of acme');
    await say(ENGLISH, 'of babel', { author: person('eva') });
    expect(scene.contexts.get('of babel')).toEqual([]);
    // It goes to a server that reads both.
    await say(THERE, 'of nord');
    expect(scene.contexts.get('of nord')).toEqual(['ada: of acme', 'eva: of babel']);
    hours += 1;
    scene.clock.aheadMs = hours * HOUR_MS;
    await scene.watches.agree(THERE, channelKey(ACME));
    await say(ACME, 'more of acme');
    expect(scene.contexts.get('more of acme')).toEqual(['eva: of babel', 'ada: of nord']);
    await say(THERE, 'more of nord');
    const both = ['ada: of acme', 'eva: of babel', 'ada: more of acme'];
    expect(scene.contexts.get('more of nord')).toEqual(both);
  });

  it('have none for a channel that mutes them', async () => {
    await scene.watches.agree(THERE, channelKey(ACME));
    await scene.watches.mute(THERE, channelKey(ACME), true);
    scene.clock.aheadMs = HOUR_MS;
    const at = (ms: number) => ({ position: String(Date.now() + HOUR_MS + ms).padStart(20, '0') });
    await scene.say(ACME, 'of acme', at(1));
    await scene.idle();
    await scene.say(ENGLISH, 'of babel', { author: person('eva'), ...at(2) });
    await scene.idle();
    expect(scene.contexts.get('of babel')).toEqual([]);
  });
});
