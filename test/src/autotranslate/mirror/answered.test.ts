import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { Message } from '../../../../src/model/message.ts';
import { createMemberSettings } from '../../../../src/store/settings.ts';
import { channel, lost, person, SPACE } from '../../../fakes/channel-feed.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { ENGLISH, JAPANESE, linked, SPANISH, withScene, WORKSPACE } from '../support.ts';

const EVA = person('eva');
const FRENCH = channel('french', undefined, WORKSPACE);

describe('an answer to a copy', () => {
  const scene = withScene(linked());

  /** What Ada writes, as it is copied into a channel. */
  const copyIn = async (to: typeof SPANISH, part: Partial<Message> = {}): Promise<Message> => {
    await scene.say(ENGLISH, 'hello', part);
    await scene.idle();
    return scene.feed.messages(to).at(-1) as Message;
  };
  const answer = async (to: Message, part: Partial<Message> = {}): Promise<Message> => {
    const said = await scene.say(to.ref.channel, 'es:adiós', {
      author: EVA,
      replyTo: to.ref,
      ...part,
    });
    await scene.idle();
    return said;
  };
  const PINGED = ['ada: en(es:adiós)'];

  it('mentions the author of the original, and in that channel alone', async () => {
    await answer(await copyIn(SPANISH));
    expect(scene.feed.pings).toEqual(PINGED);
    expect(scene.feed.texts(JAPANESE)).toHaveLength(2);
  });

  it('mentions the person who answers back in turn', async () => {
    await answer(await copyIn(SPANISH));
    const copy = scene.feed.messages(ENGLISH).at(-1) as Message;
    await scene.say(ENGLISH, 'see you', { replyTo: copy.ref });
    await scene.idle();
    expect(scene.feed.pings).toEqual([...PINGED, 'eva: es(see you)']);
  });

  it('mentions once, though it is edited', async () => {
    const { ref } = await answer(await copyIn(SPANISH));
    await scene.listener.messageChanged(scene.feed.edit(ref, 'es:hasta luego'));
    await scene.idle();
    expect(scene.feed.texts(ENGLISH).at(-1)).toContain('hasta luego');
    expect(scene.feed.pings).toEqual(PINGED);
  });

  it('mentions once, though nobody heard that it was posted, and the program began anew', async () => {
    const copy = await copyIn(SPANISH);
    scene.feed.fail({ call: 'create', error: lost(), after: true, channel: ENGLISH });
    const said = scene.feed.say(SPANISH, 'es:adiós', { author: EVA, replyTo: copy.ref });
    await scene.listener.messageChanged(said);
    await expect.poll(() => scene.feed.texts(ENGLISH).length).toBe(2);
    await scene.restart();
    await scene.later();
    expect(scene.feed.texts(ENGLISH)).toHaveLength(2);
    expect(scene.feed.pings).toEqual(PINGED);
  });

  it('mentions after a try that could not be posted', async () => {
    const copy = await copyIn(SPANISH);
    scene.feed.fail({ call: 'create', error: lost(), channel: ENGLISH });
    await answer(copy);
    await scene.later();
    expect(scene.feed.pings).toEqual(PINGED);
  });

  it.each([
    ['their own', { author: person('ada') }],
    ['that of another bot', { author: { id: 'robot', name: 'robot', kind: 'bot' } }],
  ] as const)('mentions nobody where it is %s', async (_, part) => {
    await scene.watches.set(linked().map((watch) => ({ ...watch, bots: true })));
    await answer(await copyIn(SPANISH), part);
    expect(scene.feed.texts(ENGLISH)).toHaveLength(2);
    expect(scene.feed.pings).toEqual([]);
  });

  it('mentions no bot', async () => {
    await scene.watches.set(linked().map((watch) => ({ ...watch, bots: true })));
    await answer(await copyIn(SPANISH, { author: { id: 'robot', name: 'robot', kind: 'bot' } }));
    expect(scene.feed.texts(ENGLISH).at(-1)).toContain('> robot: hello');
    expect(scene.feed.pings).toEqual([]);
  });

  it('mentions nobody who opted out, does not want it, or has left', async () => {
    const copy = await copyIn(SPANISH);
    const ada = { platform: SPACE.platform, id: 'ada' };
    await scene.privacy.setOptedOut(ada, true);
    await answer(copy);
    await scene.privacy.setOptedOut(ada, false);
    const settings = createMemberSettings(scene.store);
    await settings.change(ada, { answersMention: false });
    await answer(copy);
    await settings.change(ada, { answersMention: true });
    scene.feed.left.add('ada');
    await answer(copy);
    expect(scene.feed.texts(ENGLISH)).toHaveLength(4);
    expect(scene.feed.pings).toEqual([]);
  });

  it('mentions nobody in a space that does not want it', async () => {
    await scene.spaces.change(SPACE, { answersMention: false });
    await answer(await copyIn(SPANISH));
    expect(scene.feed.texts(ENGLISH).at(-1)).toContain('> ada: hello');
    expect(scene.feed.pings).toEqual([]);
  });

  it('mentions nobody where it answers what was written in the same channel', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.say(ENGLISH, 'good bye', { author: EVA, replyTo: ref });
    await scene.idle();
    expect(scene.feed.pings).toEqual([]);
  });

  it('is posted without the mention where nobody can say whether the person is there', async () => {
    const copy = await copyIn(SPANISH);
    const refused = new AppError('forbidden', 'members are not told');
    scene.feed.fail({ call: 'isReader', error: refused });
    await answer(copy);
    expect(scene.feed.texts(ENGLISH).at(-1)).toContain('> ada: hello');
    expect(scene.feed.pings).toEqual([]);
  });

  it('in a thread mentions for the first answer of each person', async () => {
    const copy = await copyIn(SPANISH);
    const first = await answer(copy, { threadId: 'thread' });
    await answer(copy, { threadId: 'thread' });
    await answer(copy, { threadId: 'thread', author: person('leo') });
    await scene.listener.messageChanged(scene.feed.edit(first.ref, 'es:hasta luego'));
    await scene.idle();
    expect(scene.feed.pings).toEqual([...PINGED, ...PINGED]);
  });
});

describe('an answer on another platform', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [FRENCH, 'fr']));

  it('mentions the author on theirs, whoever has the same id here', async () => {
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const copy = scene.other.messages(FRENCH)[0] as Message;
    await scene.say(FRENCH, 'fr:salut', { author: person('ada'), replyTo: copy.ref });
    await scene.idle();
    expect(scene.feed.pings).toEqual(['ada: en(fr:salut)']);
    expect(scene.other.pings).toEqual([]);
  });
});
