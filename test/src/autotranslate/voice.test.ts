import { describe, expect, it } from 'vitest';
import { damagedAudio } from '../../../src/audio/bytes.ts';
import type { MessageFile } from '../../../src/model/message.ts';
import { lost } from '../../fakes/channel-feed.ts';
import { sentence } from '../../fakes/sentences.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { audio, GENERAL, recording, withScene } from './support.ts';

/** A file that ends with an error. */
const unreadable: MessageFile = {
  ...audio('talk'),
  name: 'talk.m4a',
  async *open() {
    throw damagedAudio('cut');
  },
};

describe('a voice message', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es', 'ja'] })]);

  it('is written down', async () => {
    await scene.say(GENERAL, '', { files: [audio('hello')] });
    await scene.idle();
    expect(scene.feed.texts(GENERAL)[1]).toBe('🎧 hello\n🇪🇸 es(hello)\n🇯🇵 ja(hello)');
  });

  it('that is long is given as files too', async () => {
    const words = 'We talked about it for a long time. '.repeat(100);
    await scene.say(GENERAL, '', { files: [audio(words)] });
    await scene.idle();
    expect(scene.feed.files(GENERAL)).toEqual([
      'transcript.txt',
      'transcript.srt',
      'transcript.vtt',
    ]);
  });

  it('that was written down is not told where this was switched off meanwhile', async () => {
    // Of its line of progress, and of the transcript.
    scene.feed.fail({ call: 'create', error: lost() }, { call: 'create', error: lost() });
    await scene.say(GENERAL, 'listen', { files: [audio('hello')] });
    await scene.idle();
    const [watch] = scene.watches.list(GENERAL.space);
    await scene.watches.set([{ ...watch!, transcribes: false }]);
    await scene.later();
    expect(scene.feed.texts(GENERAL)[1]).toBe('🇪🇸 es(listen)\n🇯🇵 ja(listen)');
  });

  it('in which nobody speaks is told as such', async () => {
    const { ref } = await scene.say(GENERAL, '', { files: [recording('')] });
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped nothing-heard' });
  });

  it('that cannot be read is told of once, with the reason, and in the backlog', async () => {
    const { ref } = await scene.say(GENERAL, '', { files: [unreadable] });
    await scene.idle();
    const reason = sentence('errors.audio.damaged', {}, 'es');
    const told = sentence('autotranslate.not-transcribed', { name: 'talk.m4a', reason }, 'es');
    expect(scene.feed.texts(GENERAL)[1]).toBe(`⚠️ ${told}`);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'dead bad-input' });
  });

  it('is told of with the others of its message, in their order', async () => {
    await scene.say(GENERAL, '', { files: [audio('one'), audio('two')] });
    await scene.idle();
    expect(scene.feed.texts(GENERAL)[1]).toMatch(/^🎧 one\ntwo\n🇪🇸 es\(one\ntwo\)/);
  });
});

describe('a long recording', () => {
  const scene = withScene([watchOf(GENERAL)]);

  /** Posts one; resolves once its progress is shown, with what ends its recognition. */
  const begin = async () => {
    const heard = scene.hold('long');
    await scene.say(GENERAL, '', { files: [recording('long')] });
    await expect.poll(() => scene.feed.texts(GENERAL).at(-1)).toBe('🎧 1:00 / 5:00 …');
    return heard;
  };

  it('shows its progress, which becomes the transcript', async () => {
    const heard = await begin();
    heard();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['', '🎧 long\n🇪🇸 es(long)']);
  });

  it('loses its line of progress with the watch', async () => {
    const heard = await begin();
    await scene.watches.remove(GENERAL);
    heard();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['']);
  });

  it('does not stand twice, though nobody knows whether its line stands', async () => {
    scene.feed.fail({ call: 'create', error: lost(), after: true });
    const heard = await begin();
    heard();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['', '🎧 long\n🇪🇸 es(long)']);
  });
});
