import { expect, it } from 'vitest';
import { createItems, type OwnMessage } from '../../../../service/realtime/openai/items.ts';

it('an item has the time of its own speech, also where several are recognised as one', () => {
  const seconds: unknown[] = [];
  const items = createItems((type, fields) => {
    if (type.endsWith('transcription.completed'))
      seconds.push((fields as { usage: { seconds: number } }).usage.seconds);
  }, false);
  const take = (type: string, id: string, startMs: number, endMs: number, text?: string): void => {
    const message: OwnMessage = {
      type,
      utterance_id: id,
      audio_start_ms: startMs,
      audio_end_ms: endMs,
    };
    items.take(text === undefined ? message : { ...message, text }, true);
  };
  for (const [id, startMs] of [
    ['a', 1_000],
    ['b', 3_000],
  ] as const) {
    take('speech_started', id, startMs, startMs);
    take('speech_stopped', id, startMs, startMs + 500);
  }
  // The first has the text, and the time, of both.
  take('asr.final_result', 'a', 1_000, 3_500, 'hello there');
  take('asr.final_result', 'b', 3_000, 3_500, '');
  expect(seconds).toEqual([0.5, 0.5]);
});
