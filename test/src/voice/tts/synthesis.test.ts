import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { SpeechItem } from '../../../../src/voice/tts/speech-item.ts';
import { anna, ben, createStage, itemOf } from './playback-harness.ts';

describe('announcements', () => {
  const names = (said: readonly string[]) =>
    said.map((text) => /^(.*) says:/.exec(text)?.[1] ?? '');

  it('are made once a run, and again after another person or a minute', async () => {
    const stage = createStage(() => ({ lengthMs: 400 }));
    const say = async (by: SpeechItem['by'], kind: SpeechItem['kind'] = 'read', waitMs = 1_000) => {
      stage.playback.add(itemOf(`text ${stage.requests.length}`, { kind, ...(by ? { by } : {}) }));
      await stage.clock.advance(waitMs);
    };
    await say(anna);
    await say(anna, 'say');
    await say(undefined, 'notice');
    await say(ben, 'answer');
    await say(anna, 'read', 61_000);
    await say(anna);
    await say(ben);
    await say(anna);
    await say(anna);
    expect(names(stage.said())).toEqual(['Anna', '', '', '', '', 'Anna', 'Ben', 'Anna', '']);
  });

  it('are made anew for what was made ahead when somebody else came between', async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    stage.playback.add(itemOf('one', { by: anna }));
    await stage.clock.advance(100);
    stage.playback.add(itemOf('two', { by: anna }));
    await stage.clock.advance(100);
    stage.playback.add(itemOf('urgent', { by: ben, kind: 'say' }));
    await stage.clock.advance(5_000);
    expect(stage.said()).toEqual(['Anna says: one', 'Ben says: urgent', 'Anna says: two']);
  });

  it('say somebody for a name that cannot be spoken', async () => {
    const stage = createStage();
    stage.playback.add(itemOf('hi', { by: { id: '9', name: '🔥✨__' } }));
    await stage.clock.advance(1_000);
    expect(stage.said()).toEqual(['Somebody says: hi']);
  });
});

describe('a passage in letters that the voice cannot read', () => {
  const passage = { voice: { named: 'Ada' }, readAs: 'en' };
  const asked = ({ requests }: ReturnType<typeof createStage>) =>
    requests.map(({ text, named, language }) => [text.trim(), named, language]);
  const isGone = new AppError('not-found', 'no voice');

  it('has the voice where it speaks that language, too', async () => {
    const stage = createStage();
    stage.playback.add(itemOf('She said こんにちは to me', passage));
    await stage.clock.advance(5_000);
    expect(asked(stage)).toEqual([
      ['She said', 'Ada', undefined],
      ['こんにちは', 'Ada', 'ja'],
      ['to me', 'Ada', undefined],
    ]);
  });

  it('has another voice of its language, or its language is said', async () => {
    const another = createStage(({ named, language }) =>
      named !== undefined && language === 'ja' ? { fails: isGone } : {},
    );
    const none = createStage(({ language }) => (language === 'ja' ? { fails: isGone } : {}));
    for (const stage of [another, none]) {
      stage.playback.add(itemOf('She said こんにちは', passage));
      await stage.clock.advance(5_000);
    }
    expect(another.said()).toEqual(['She said', 'こんにちは']);
    expect(none.said()).toEqual(['She said', 'text in Japanese']);
    expect(none.failed).toEqual([]);
  });

  it('fails where its voice does', async () => {
    const fails = new AppError('unavailable', 'down');
    const stage = createStage(({ language }) => (language === 'ja' ? { fails } : {}));
    stage.playback.add(itemOf('She said こんにちは', passage));
    await stage.clock.advance(5_000);
    expect(stage.failed.map(({ code }) => code)).toEqual(['unavailable']);
  });
});
