import { describe, expect, it } from 'vitest';
import { lost, person, SPACE } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { GENERAL, withScene } from './support.ts';

describe('a channel that is translated in place', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es', 'ja'] })]);

  it('gets one reply under a message, with each language marked', async () => {
    const message = await scene.say(GENERAL, 'hello there');
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual([
      'hello there',
      '🇪🇸 es(hello there)\n🇯🇵 ja(hello there)',
    ]);
    expect(await scene.outcomes()).toEqual({ [message.ref.id]: 'posted' });
  });

  it('passes over what is in a target already', async () => {
    await scene.say(GENERAL, 'es:hola');
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['es:hola', '🇯🇵 ja(es:hola)']);
  });

  it.each([
    ['commands', '!play a song', {}, 'skipped command'],
    ['smiles', '😀 😀', {}, 'skipped no-words'],
    ['a link alone', 'https://example.com/photos', {}, 'skipped no-words'],
    ['what is in no language', 'haha', {}, 'skipped no-language'],
    ['what is in every target', 'Taxi', {}, 'skipped same-language'],
    ['other bots', 'beep boop', { author: { id: 'b', name: 'b', kind: 'bot' } }, 'skipped bot'],
    ['what the platform says', 'Ada joined', { system: true }, 'skipped system'],
  ] as const)('leaves %s alone', async (_, text, part, outcome) => {
    const { ref } = await scene.say(GENERAL, text, part);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual([text]);
    expect(await scene.outcomes()).toEqual({ [ref.id]: outcome });
  });

  it('never answers itself', async () => {
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    for (const message of scene.feed.messages(GENERAL))
      await scene.listener.messageChanged(message);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toHaveLength(2);
  });

  it('does nothing twice for a message that is reported twice', async () => {
    const message = await scene.say(GENERAL, 'hello');
    await scene.listener.messageChanged(message);
    await scene.idle();
    await scene.listener.messageChanged(message);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toHaveLength(2);
  });

  it('tells the translator what was said before', async () => {
    await scene.say(GENERAL, 'one');
    await scene.say(GENERAL, 'two', { author: person('bob') });
    await scene.idle();
    expect(scene.contexts.get('two')).toEqual(['ada: one']);
  });

  it('leaves what waits alone when it is no longer watched', async () => {
    const gate = scene.hold('hello');
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.watches.remove(GENERAL);
    gate();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello']);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped not-watched' });
  });

  it('keeps to the daily limit of characters, and stops no text for want of minutes', async () => {
    await scene.spaces.change(SPACE, { dailyCharacters: 11, dailyAudioMinutes: 0 });
    const long = await scene.say(GENERAL, 'longer');
    await scene.say(GENERAL, 'short');
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toContain('🇪🇸 es(short)\n🇯🇵 ja(short)');
    expect((await scene.outcomes())[long.ref.id]).toBe('skipped daily-limit');
  });

  it('keeps to the daily limit of each person', async () => {
    scene.personLimits.characters = 20;
    const [ann, bob] = [person('ann'), person('bob')];
    await scene.say(GENERAL, 'the first', { author: ann });
    await scene.idle();
    const second = await scene.say(GENERAL, 'a second', { author: ann });
    await scene.say(GENERAL, 'of another', { author: bob });
    await scene.idle();
    expect((await scene.outcomes())[second.ref.id]).toBe('skipped daily-limit');
    expect(scene.feed.texts(GENERAL).at(-1)).toContain('es(of another)');
  });

  it('is quiet from the moment on that it is asked to be', async () => {
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.spaces.change(SPACE, { quietChannels: [GENERAL.id] });
    const { ref } = await scene.say(GENERAL, 'and now?');
    await scene.idle();
    expect((await scene.outcomes())[ref.id]).toBe('skipped quiet-channel');
  });

  it('does not get what was prepared before it was asked to be quiet', async () => {
    scene.feed.fail({ call: 'create', error: lost() });
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.spaces.change(SPACE, { quietChannels: [GENERAL.id] });
    await scene.later();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello']);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped quiet-channel' });
  });

  it('gets the languages that are wanted when a message is posted', async () => {
    scene.feed.fail({ call: 'create', error: lost() });
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.watches.set([watchOf(GENERAL, { languages: ['fr'] })]);
    await scene.later();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello', '🇫🇷 fr(hello)']);
  });

  it('keeps what stands of a message that waits when it is no longer watched', async () => {
    const { ref } = await scene.say(GENERAL, 'before');
    await scene.idle();
    const resolve = scene.hold('after');
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    await scene.watches.remove(GENERAL);
    resolve();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['after', '🇪🇸 es(before)\n🇯🇵 ja(before)']);
  });

  it('is told apart from the answers in it, which quote nothing', async () => {
    const { ref } = await scene.say(GENERAL, 'question');
    await scene.say(GENERAL, 'answer', { replyTo: ref });
    await scene.idle();
    expect(scene.feed.texts(GENERAL).at(-1)).toBe('🇪🇸 es(answer)\n🇯🇵 ja(answer)');
    expect(scene.feed.calls).not.toContain('read');
  });
});
