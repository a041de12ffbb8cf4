import { describe, expect, it } from 'vitest';
import type { SpokenWord } from '../../../../src/model/message.ts';
import { createResults } from '../../../../src/api/realtime/results.ts';

const SECOND = 16_000;

describe('the results of a session', () => {
  it('have words with their times in all connections, where those of each text are known', () => {
    const results = createResults();
    const final = (id: string, words?: readonly SpokenWord[]) =>
      results.final(
        {
          type: 'asr.final_result',
          utterance_id: id,
          result_id: id,
          text: id,
          ...(words ? { words } : {}),
        },
        9 * SECOND,
      );
    results.connected(0);
    final('we', [{ text: 'we', startMs: 100, endMs: 400 }]);
    results.connected(2 * SECOND);
    final('meet', [{ text: 'meet', startMs: 100, endMs: 400 }]);
    expect(results.text().words?.map(({ startMs }) => startMs)).toEqual([100, 2_100]);
    final('now');
    expect(results.text().words).toBeUndefined();
  });

  it('lose a partial result that the final of another utterance replaces', () => {
    const results = createResults();
    results.connected(0);
    const partial = { utterance_id: 'u1', result_id: 'r1', text: 'we', audio_start_ms: 0 };
    results.partial({ type: 'asr.partial_result', ...partial }, SECOND);
    results.partial({ type: 'asr.partial_result', ...partial, result_id: 'r2' }, SECOND);
    const final = { utterance_id: 'u2', result_id: 'r3', text: 'we meet', replaces: ['r2'] };
    const span = results.final(
      { type: 'asr.final_result', ...final, audio_start_ms: 0, audio_end_ms: 1_000 },
      SECOND,
    );
    expect(results.text().text).toBe('we meet');
    expect(results.settledThrough(span!)).toBe(SECOND);
    results.partial({ type: 'asr.partial_result', ...partial, result_id: 'r2' }, SECOND);
    expect(results.text().text).toBe('we meet');
  });
});
