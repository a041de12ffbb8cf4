import { bytesSource } from '../../../src/audio/bytes.ts';
import { decode } from '../../../src/audio/codec/decode.ts';
import { vi } from 'vitest';
import { startFakeOpenai, type FakeOpenai, type FakeOpenaiOptions } from '../../fakes/openai.ts';
import { startTestService, type TestService } from '../support.ts';
import { shared } from '../../fakes/opened.ts';

const TONE_HZ = 24_000;

/** A second of a tone at half loudness, as 16-bit samples at 24 kHz. */
const TONE_PCM = new Uint8Array(
  Int16Array.from({ length: TONE_HZ }, (_, at) => 16_384 * Math.sin(at * 0.1)).buffer,
);

/** A text whose translation comes in two pieces, of which the first is long enough to be judged. */
export const LONG_TEXT =
  'Cuéntame otra vez la larga historia del viejo pescador que vivía junto al mar y nunca volvió, porque quisiera oír cómo termina, aunque la sé de memoria desde que era niño.';
const LONG_BEGINNING =
  'Tell me once more the long story of the old fisherman who lived beside the sea and never came back, because I would like to hear how ';

/** Answers `LONG_TEXT` with its translation, and anything else with a greeting. */
export const answerLong: NonNullable<FakeOpenaiOptions['chat']> = (turns) =>
  turns.at(-1)?.content === LONG_TEXT
    ? [LONG_BEGINNING, 'it ends, although I have known it by heart since I was a child.']
    : ['Hello', ', ', 'world'];

/** A picture of one pixel. */
export const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Decodes an audio file: its length and its loudest sample, from 0 to 1. */
export const loudness = async (file: Uint8Array): Promise<{ seconds: number; peak: number }> => {
  let seconds = 0;
  let peak = 0;
  const parts = decode(bytesSource([file]), new AbortController().signal);
  for await (const { samples, sampleRateHz } of parts) {
    seconds += samples.length / sampleRateHz;
    for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  }
  return { seconds, peak };
};

/** A back end's whole reply with this message. */
export const completion = (message: object, finish = 'stop'): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'talk-1-2026',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
});

/** A piece of a back end's streamed reply. */
const chunk = (delta: object, finish: string | null = null): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'talk-1-2026',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** An event stream of the pieces. */
const events = (chunks: readonly object[]): string =>
  [...chunks.map((one) => JSON.stringify(one)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('');

/** A model's call of a tool. */
export const WEATHER_CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
} as const;

/** The same call as the pieces of a stream. */
const weatherCallInPieces: readonly object[] = [
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        index: 0,
        ...WEATHER_CALL,
        function: { name: WEATHER_CALL.function.name, arguments: '' },
      },
    ],
  },
  ...['{"ci', 'ty":"P', 'aris"}'].map((piece) => ({
    tool_calls: [{ index: 0, function: { arguments: piece } }],
  })),
];

/** A service over a back end, with which the tests of a file talk through somebody's client. */
export interface ServedFile {
  readonly backEnd: FakeOpenai;
  readonly service: TestService;
  /** What a client of the OpenAI API takes as its base URL. */
  readonly baseURL: string;
  /** The body of the last request to the back end. */
  readonly lastBody: () => Record<string, unknown>;
  /** Has the back end's next reply call the tool, in one piece or in a stream. */
  readonly callTool: (how: 'whole' | 'streamed') => void;
}

/** Starts a service over a back end that speaks a tone, for all tests of the calling file. */
export const useServedFile = (
  start: typeof startTestService = startTestService,
): (() => ServedFile) => {
  const backEnd = shared(() =>
    startFakeOpenai({
      speech: { pcm: TONE_PCM },
      chat: answerLong,
    }),
  );
  const service = shared(() => start({ SERVICE_OPENAI_URL: backEnd.url }));
  return () => ({
    backEnd,
    service,
    baseURL: `${service.service.url}/openai/v1`,
    lastBody: () => backEnd.requests.at(-1)?.body ?? {},
    callTool: (how) => {
      const whole = completion({ content: null, tool_calls: [WEATHER_CALL] }, 'tool_calls');
      const pieces = [...weatherCallInPieces.map((delta) => chunk(delta)), chunk({}, 'tool_calls')];
      backEnd.fail(
        '/chat/completions',
        how === 'whole' ? { kind: 'json', value: whole } : { kind: 'events', body: events(pieces) },
      );
    },
  });
};

/** Lets waits of exactly `ms` be over at once while `call` runs, and counts them. */
export const withoutWaitsOf = async <T>(
  ms: number,
  call: () => PromiseLike<T>,
): Promise<{ value: T; waits: number }> => {
  const { setTimeout: wait } = globalThis;
  const spy = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((run: () => void, given?: number) => wait(run, given === ms ? 0 : given));
  try {
    const value = await call();
    return { value, waits: spy.mock.calls.filter(([, given]) => given === ms).length };
  } finally {
    spy.mockRestore();
  }
};
