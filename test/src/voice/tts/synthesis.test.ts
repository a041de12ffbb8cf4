import { describe, expect, it } from 'vitest';
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
