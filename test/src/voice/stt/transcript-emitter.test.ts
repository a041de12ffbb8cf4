import { describe, expect, it } from 'vitest';
import type { RecognitionResult, Utterance } from '../../../../src/ports/recogniser.ts';
import { NO_SPEECH } from '../../../../src/voice/stt/gated-recogniser.ts';
import {
  createTranscriptEmitter,
  type EmittedUtterance,
  type TranscriptEvent,
} from '../../../../src/voice/stt/transcript-emitter.ts';
import { AppError } from '../../../../src/errors.ts';

const utteranceOf = (id: number, more: Partial<Utterance> = {}): Utterance => ({
  id,
  speakerId: 'ann',
  startMs: id * 10_000,
  endMs: id * 10_000 + 8_000,
  preRoll: [],
  packets: [],
  voiceMs: 7_000,
  spanMs: 8_000,
  isContinued: false,
  ...more,
});
const resultOf = (text: string, more: Partial<RecognitionResult> = {}): RecognitionResult => ({
  text,
  language: 'en',
  confidence: 0.9,
  ...more,
});

const setUp = () => {
  const events: TranscriptEvent[] = [];
  const told: string[] = [];
  const lost: number[] = [];
  const unheard = { count: 0 };
  const emitter = createTranscriptEmitter(
    {
      transcript: (event) => {
        events.push(event);
        told.push(`${event.id}${event.isFinal ? '' : '…'}: ${event.text}`);
      },
      withheld: ({ speakerId }, refusal) => void told.push(`${speakerId} withheld: ${refusal}`),
      lost: ({ startMs }) => void lost.push(startMs / 10_000),
      refused: (speakerId) => void told.push(`${speakerId} refused`),
      unheard: () => void (unheard.count += 1),
      trouble: (error) => void told.push(error ? `trouble: ${error.code}` : 'no trouble'),
    },
    undefined,
  );
  const open = (id: number, more: Partial<Utterance> = {}): EmittedUtterance => ({
    utterance: utteranceOf(id, more),
    context: { hotwords: [], languages: [] },
    shown: undefined,
  });
  const say = (id: number, text: string, more: Partial<Utterance> = {}): void =>
    emitter.final(open(id, more), resultOf(text));
  return { emitter, events, told, lost, unheard, open, say };
};

/** Packets of so many ms with voice, and without. */
const packetsOf = (...lengthsMs: readonly number[]) =>
  lengthsMs.flatMap((ms, index) =>
    Array.from({ length: ms / 20 }, () => ({
      data: new Uint8Array(),
      sequence: 0,
      samples: 960,
      gapSamples: 0,
      isVoice: index % 2 === 0,
    })),
  );

const timed = (...words: readonly (readonly [text: string, startMs: number])[]) =>
  words.map(([text, startMs]) => ({ text, startMs, endMs: startMs + 400 }));

describe('the times of words', () => {
  it('drop what was recognised where nobody spoke, and are those of the room', () => {
    const { emitter, open, events } = setUp();
    const packets = packetsOf(0, 100, 1_000, 5_000, 20);
    const words = timed(['We', 100], ['meet.', 600], ['Thank', 2_500], ['you.', 3_000]);
    emitter.final(open(1, { packets }), resultOf('We meet. Thank you.', { words }));
    expect(events.map(({ text }) => text)).toEqual(['We meet.']);
    expect(events[0]!.words?.map(({ startMs }) => startMs)).toEqual([10_000, 10_500]);
  });

  it('are not told of a line without a part that was recognised', () => {
    const { emitter, open, events } = setUp();
    const words = timed(['[Music]', 0], ['hello', 2_000]);
    const packets = packetsOf(8_000);
    emitter.final(open(1, { packets }), resultOf('[Music] hello', { words }));
    expect(events).toMatchObject([{ text: 'hello' }]);
    expect(events[0]!.words).toBeUndefined();
  });

  it('tell when a sentence began that an utterance leaves to the next one', () => {
    const { emitter, open, events, told } = setUp();
    const packets = packetsOf(8_000);
    const [first, second] = [open(1, { packets }), open(2, { packets })];
    first.next = second;
    const words = timed(['That', 0], ['is', 500], ['all.', 1_000], ['We', 6_000], ['meet', 6_500]);
    emitter.final(first, resultOf('That is all. We meet.', { words }));
    emitter.final(second, resultOf('at nine.', { words: timed(['at', 0], ['nine.', 500]) }));
    expect(told).toEqual(['1: That is all.', '2…: We meet', '2: We meet at nine.']);
    expect(events.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [10_000, 11_400],
      [16_000, 28_000],
      [16_000, 28_000],
    ]);
    expect(events[2]!.words?.map(({ startMs }) => startMs)).toEqual([
      16_000, 16_500, 20_000, 20_500,
    ]);
  });

  it.each([
    ['all known where nothing follows', true, '[Music]', undefined, [10_000, 10_500]],
    [
      'not told where those of its beginning are not',
      false,
      'at nine.',
      timed(['at', 0], ['nine.', 500]),
      undefined,
    ],
  ])('of a sentence that goes on are %s', (_, isTimed, text, words, startsMs) => {
    const { emitter, open, events } = setUp();
    const packets = packetsOf(8_000);
    const [first, second] = [open(1, { packets }), open(2, { packets })];
    first.next = second;
    const before = isTimed ? { words: timed(['We', 0], ['meet', 500]) } : {};
    emitter.final(first, resultOf('We meet.', before));
    emitter.final(second, resultOf(text, { words }));
    expect(events.at(-1)!.words?.map(({ startMs }) => startMs)).toEqual(startsMs);
  });
});

describe('an utterance that was cut', () => {
  const cut = () => {
    const test = setUp();
    const [first, second] = [test.open(1), test.open(2)];
    first.next = second;
    return { ...test, first, second };
  };

  it('leaves its last sentence to the next one, without a full stop that nobody said', () => {
    const { emitter, told, events, first, second } = cut();
    emitter.final(first, resultOf('That is all. We meet at.'));
    expect(told).toEqual(['1: That is all.', '2…: We meet at']);
    emitter.partial(second, resultOf('nine'));
    emitter.final(second, resultOf('nine tomorrow.'));
    expect(told.slice(2)).toEqual(['2…: We meet at nine', '2: We meet at nine tomorrow.']);
    const [one, , , two] = events;
    expect(one!.startMs).toBe(10_000);
    expect(one!.endMs).toBe(two!.startMs);
    expect(two!.startMs).toBeLessThan(18_000);
    expect(two!.endMs).toBe(28_000);
  });

  it.each([
    ['before a capital', 'Good morning.', 'Have you slept?', 'Good morning. Have you slept?'],
    [
      'before a capital, trailing off',
      'It is like...',
      'Ladies first!',
      'It is like... Ladies first!',
    ],
    [
      'not before a small letter',
      'They took wood.',
      'carved by hand.',
      'They took wood carved by hand.',
    ],
    ['not before I', 'And then.', "I'm off.", "And then I'm off."],
    ['not where none was', 'Next to', 'Paris.', 'Next to Paris.'],
    ['not in a language whose nouns have capitals', 'Er hat.', 'Hunger.', 'Er hat Hunger.', 'de'],
  ])('keeps its full stop %s', (_, before, after, shown, language = 'en') => {
    const { emitter, told, first, second } = cut();
    emitter.final(first, { ...resultOf(before), language });
    emitter.final(second, { ...resultOf(after), language });
    expect(told.at(-1)).toBe(`2: ${shown}`);
  });

  it('is shown with what the next one has shown already', () => {
    const { emitter, told, first, second } = cut();
    emitter.partial(second, resultOf('nine'));
    emitter.final(first, resultOf('We meet at.'));
    expect(told).toEqual(['2…: nine', '1: ', '2…: We meet at nine']);
  });

  it.each(['is refused', 'is lost', 'is taken back'])('is whole where the next one %s', (how) => {
    const { emitter, told, first, second } = cut();
    emitter.final(first, resultOf('That is all. We meet at nine.'));
    if (how === 'is refused') emitter.final(second, resultOf('[Music]'));
    else if (how === 'is lost') emitter.failed(second, new AppError('timeout', 'late'));
    else emitter.retract(second);
    expect(told.filter((line) => /^\d+: /.test(line))).toEqual([
      '1: That is all.',
      '2: We meet at nine.',
    ]);
  });

  it('keeps all where nothing follows any more', () => {
    const { emitter, told, first, second } = cut();
    emitter.retract(second);
    emitter.final(first, resultOf('That is all. We meet at nine.'));
    expect(told).toEqual(['1: That is all. We meet at nine.']);
  });

  it('is shown in two where its last sentence is long', () => {
    const { emitter, told, first, second } = cut();
    const long = Array.from({ length: 60 }, (_, at) => `w${at}`).join(' ');
    emitter.final(first, resultOf(`${long}.`));
    emitter.final(second, resultOf('and then we stop.'));
    expect(told).toEqual([`1: ${long}`, '2: and then we stop.']);
  });
});

describe('the first letter of a turn', () => {
  it.each([
    ['where the line before has ended', 'We meet.', 'at nine', 'At nine'],
    ['not where it goes on', 'We meet', 'at nine', 'at nine'],
    ['not where it trails off', 'We meet …', 'at nine', 'at nine'],
    ['not of a word that is written so', 'We meet.', 'iPhones ring', 'iPhones ring'],
    ['not where a script has none', 'We meet.', 'გამარჯობა', 'გამარჯობა'],
  ])('is a capital %s', (_, before, text, shown) => {
    const { say, told } = setUp();
    say(1, before);
    say(2, text);
    expect(told.at(-1)).toBe(`2: ${shown}`);
  });

  it('is one after what the same person said', () => {
    const { say, told } = setUp();
    say(1, 'We meet.');
    say(2, 'at nine', { speakerId: 'ben' });
    expect(told.at(-1)).toBe('2: at nine');
  });
});

describe('clear speech in which no words are found', () => {
  it('is told, and lost, when there are three lines in a row', () => {
    const { say, told, lost } = setUp();
    for (const id of [1, 2]) say(id, '');
    expect([told, lost]).toEqual([[], []]);
    for (const id of [3, 4]) say(id, ' ');
    expect(told).toEqual(['trouble: bad-reply']);
    expect(lost).toEqual([1, 2, 3, 4]);
    say(5, 'Here we are.');
    expect(told.slice(1)).toEqual(['no trouble', '5: Here we are.']);
  });

  it('counts where the answer is longer than anybody can speak', () => {
    const { say, lost } = setUp();
    const words = Array.from({ length: 2_000 }, (_, at) => `w${at.toString(36)}`).join(' ');
    for (const id of [1, 2, 3]) say(id, words);
    expect(lost).toEqual([1, 2, 3]);
  });

  it.each([
    ['with a line in between', ['', '', 'Yes.', '', ''], {}],
    ['of noise that is named', ['[Music]', '[Music]', '[Music]', '[Music]'], {}],
    ['of a moment', ['', '', '', ''], { voiceMs: 1_400 }],
    ['that is nearly silent', ['', '', '', ''], { voiceMs: 1_900 }],
  ])('is nothing to tell %s', (_, texts, more) => {
    const { say, told, lost } = setUp();
    for (const [at, text] of texts.entries()) say(at + 1, text, more);
    expect(told.join()).not.toContain('trouble');
    expect(lost).toEqual([]);
  });
});

it('a sound without speech is noise, and no sign that the recogniser works or is broken', () => {
  const { emitter, open, told, lost } = setUp();
  emitter.delayed(new AppError('unavailable', 'down', { retryable: true }));
  for (const id of [1, 2, 3, 4]) emitter.final(open(id), NO_SPEECH);
  expect(told).toEqual([
    'trouble: unavailable',
    ...Array.from({ length: 4 }, () => 'ann withheld: noise'),
  ]);
  expect(lost).toEqual([]);
});

it('noise with more text than can be said is no failure', () => {
  const { say, told, lost } = setUp();
  const words = Array.from({ length: 200 }, (_, at) => `w${at.toString(36)}`).join(' ');
  for (const id of [1, 2, 3, 4]) say(id, words, { voiceMs: 400, spanMs: 900 });
  expect(told).toEqual(Array.from({ length: 4 }, () => 'ann withheld: too-fast'));
  expect(lost).toEqual([]);
});

describe('an utterance that the service refuses', () => {
  const refusal = new AppError('bad-input', 'the service answered 400');
  const setUpRefused = () => {
    const test = setUp();
    const refuse = (id: number, speakerId: string): void =>
      test.emitter.failed(test.open(id, { speakerId }), refusal);
    return { ...test, refuse };
  };

  it('is lost, and no trouble of the room', () => {
    const { told, lost, say, refuse } = setUpRefused();
    refuse(1, 'ann');
    say(2, 'And so on.');
    expect([lost, told]).toEqual([[1], ['2: And so on.']]);
  });

  it('is trouble of one person where that goes on while others are heard', () => {
    const { told, say, refuse } = setUpRefused();
    for (const id of [1, 3, 5]) {
      refuse(id, 'ann');
      say(id + 1, `Line ${id}.`, { speakerId: 'ben' });
    }
    expect(told).toEqual(['2: Line 1.', '4: Line 3.', 'ann refused', '6: Line 5.']);
  });

  it('is trouble of the room where nothing else is recognised', () => {
    const { told, refuse } = setUpRefused();
    refuse(1, 'ann');
    refuse(2, 'ben');
    refuse(3, 'ann');
    expect(told).toEqual(['trouble: bad-input']);
  });

  it('is trouble of the room also where somebody else is forgotten meanwhile', () => {
    const { emitter, told, refuse } = setUpRefused();
    refuse(1, 'ann');
    refuse(2, 'ben');
    emitter.forget('eve');
    refuse(3, 'ann');
    expect(told).toEqual(['trouble: bad-input']);
  });
});

it('reports each line of clear speech that comes back empty', () => {
  const { told, unheard, say } = setUp();
  say(1, '');
  say(2, 'And so on.');
  say(3, '', { voiceMs: 300 });
  expect(told).toEqual(['2: And so on.', 'ann withheld: no-words']);
  expect(unheard.count).toBe(1);
});
