import { describe, expect, it } from 'vitest';
import {
  areCaptionsOn,
  firstState,
  STEPS,
  type ListeningChoices,
  type ListeningEvent,
  type ListeningState,
  modeOf,
  next,
} from '../../../src/voice/listening-mode.ts';

const CHOICES: ListeningChoices = {
  consent: 'told',
  partials: true,
  pauseMs: 900,
  wakeWord: true,
  bargeIn: 'lower',
};
const OTHER: ListeningChoices = { ...CHOICES, wakeWord: false };

const EVENTS: readonly ListeningEvent[] = [
  { kind: 'start' },
  { kind: 'prepared' },
  { kind: 'announced' },
  { kind: 'stop' },
  { kind: 'ended' },
  { kind: 'close' },
  { kind: 'choices-changed', choices: OTHER },
  { kind: 'limit-reached' },
  { kind: 'limit-lifted' },
];

type Kind = ListeningState['kind'];

/** The state after each event; `–`: not allowed; `=`: the same state, with another condition. */
const TABLE: Readonly<Record<Kind, string>> = {
  //            start      prepared   announced  stop   ended  close   choices reached lifted
  idle: '       preparing  –          –          –      –      closed  =       =       –',
  preparing: '  –          announcing –          idle   –      closed  =       =       –',
  announcing: ' –          –          captioning ending –      closing =       =       –',
  captioning: ' –          –          –          ending –      closing =       =       –',
  ending: '     –          –          –          –      idle   closing =       =       –',
  closing: '    –          –          –          –      closed –       –       –       –',
  closed: '     –          –          –          –      –      –       –       –       –',
};

const stateOf = (kind: Kind, isLimited = false): ListeningState => ({
  ...firstState(CHOICES),
  kind,
  isLimited,
});

const STATES = Object.keys(STEPS) as (keyof typeof STEPS)[];
const CASES = STATES.flatMap((kind) => {
  const expected = TABLE[kind].trim().split(/\s+/);
  return EVENTS.map((event, at) => [kind, event.kind, expected[at]!, event] as const);
});

describe('the next state of a room', () => {
  it('is decided for every state and every event', () => {
    expect(CASES).toHaveLength(STATES.length * EVENTS.length);
    for (const [, , expected] of CASES) expect(expected).toBeDefined();
  });

  it.each(CASES)('from %s by %s is: %s', (kind, _, expected, event) => {
    const state = stateOf(kind);
    const after = next(state, event);
    if (expected === '–') expect(after).toBeUndefined();
    else expect(after?.kind).toBe(expected === '=' ? kind : expected);
    expect(state).toEqual(stateOf(kind));
  });

  it.each(['idle', 'preparing', 'announcing', 'captioning', 'ending'] as const)(
    'carries its conditions through %s',
    (kind) => {
      const limited = next(stateOf(kind), { kind: 'limit-reached' });
      expect(limited).toEqual(stateOf(kind, true));
      expect(next(limited!, { kind: 'limit-reached' })).toBeUndefined();
      expect(next(limited!, { kind: 'limit-lifted' })).toEqual(stateOf(kind));
      const changed = next(limited!, { kind: 'choices-changed', choices: OTHER });
      expect(changed).toEqual({ ...stateOf(kind, true), choices: OTHER });
    },
  );
});

describe('the way to listen', () => {
  const CAPTIONS = { use: 'captions', rule: 'told', partials: true, pauseMs: 900 };
  const WAKE_WORD = { use: 'wake-word', rule: 'told', partials: false };
  const BARGE_IN = { use: 'barge-in', rule: 'told', partials: false };

  it.each([
    ['idle', WAKE_WORD],
    ['preparing', WAKE_WORD],
    ['announcing', CAPTIONS],
    ['captioning', CAPTIONS],
    ['ending', WAKE_WORD],
    ['closing', undefined],
    ['closed', undefined],
  ] as const)('while %s is %j', (kind, mode) => {
    expect(modeOf(stateOf(kind))).toEqual(mode);
    expect(areCaptionsOn(stateOf(kind))).toBe(mode === CAPTIONS);
  });

  it('needs no text once a limit is reached, captions aside, which are stopped', () => {
    expect(modeOf(stateOf('idle', true))).toEqual(BARGE_IN);
    expect(modeOf(stateOf('captioning', true))).toEqual(CAPTIONS);
  });

  it.each([
    [{ wakeWord: true, bargeIn: 'off' }, WAKE_WORD],
    [{ wakeWord: false, bargeIn: 'stop' }, BARGE_IN],
    [{ wakeWord: false, bargeIn: 'off' }, undefined],
    [{ consent: 'agreed' }, { ...WAKE_WORD, rule: 'agreed' }],
  ] as const)('without captions follows the choices %j', (choices, mode) => {
    expect(modeOf(firstState({ ...CHOICES, ...choices }))).toEqual(mode);
  });
});
