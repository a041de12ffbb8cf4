import { beforeEach, describe, expect, it } from 'vitest';
import {
  createEngineTurns,
  REMEMBERED_MS,
  type EngineTurn,
  type EngineTurns,
} from '../../../src/translation/engine-turns.ts';

const channel = { space: { platform: 'test', id: 'space' }, id: 'channel' };
const turnOf = (id: string, to = 'ja'): EngineTurn => ({
  person: { platform: 'test', id },
  ref: { channel, id: '1' },
  to,
});

let nowMs: number;
let turns: EngineTurns;
beforeEach(() => {
  nowMs = 0;
  turns = createEngineTurns({ nowMs: () => nowMs });
});

describe('the models that translated a message', () => {
  it('are remembered for a person and a language, for a while', () => {
    turns.translated(turnOf('ada'), 'bergamot-en-ja');
    turns.translated(turnOf('ada'), 'apertium-en-ja');
    expect(turns.lately(turnOf('ada'))).toEqual(['bergamot-en-ja', 'apertium-en-ja']);
    expect(turns.lately(turnOf('ada', 'es'))).toEqual([]);
    expect(turns.lately(turnOf('bob'))).toEqual([]);
    nowMs += REMEMBERED_MS;
    expect(turns.lately(turnOf('ada'))).toEqual([]);
  });

  it('are forgotten with the person', () => {
    for (const id of ['ada', 'bob']) turns.translated(turnOf(id), 'bergamot-en-ja');
    turns.forget({ platform: 'test', id: 'ada' });
    expect(turns.lately(turnOf('ada'))).toEqual([]);
    expect(turns.lately(turnOf('bob'))).toHaveLength(1);
    turns.forgetAll();
    expect(turns.lately(turnOf('bob'))).toEqual([]);
  });
});
