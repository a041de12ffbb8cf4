import type { CallOptions } from '../../../src/api/caller.ts';
import type { ServiceClient } from '../../../src/api/client.ts';
import { VOICE } from '../../fakes/speech.ts';
import { bytesOf, JAPANESE, source, statesOf } from './client-support.ts';

/** A method of the client, with what a good service sends to it. */
export interface ClientCall {
  readonly mediaType: string;
  readonly good: string;
  /** Calls it, and resolves with what it gives in the end. */
  call(client: ServiceClient, options: CallOptions): Promise<unknown>;
  readonly result: unknown;
}

const TEXT = 'やあ😀';
const MESSAGES = { messages: [{ role: 'user' as const, content: 'hello' }] };
const INPUT = { ...JAPANESE, text: 'hello' };
const AUDIO = Buffer.from('RIFF....WAVE and what follows');

const json = { mediaType: 'application/json' };
const COMPLETION = {
  ...json,
  good: JSON.stringify({ choices: [{ message: { role: 'assistant', content: TEXT } }] }),
  result: TEXT,
};
const EVENTS = {
  mediaType: 'text/event-stream',
  good: `${Array.from(TEXT)
    .map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
    .join('')}data: [DONE]\n\n`,
  result: TEXT,
};

/** Every method of the client. */
export const CLIENT_CALLS: Readonly<Record<string, ClientCall>> = {
  voices: {
    ...json,
    good: JSON.stringify({ voices: [VOICE] }),
    call: async (client, options) => client.voices(options),
    result: [VOICE],
  },
  speak: {
    mediaType: 'audio/mpeg',
    good: 'the audio',
    call: async (client, options) => {
      const request = { voice_id: VOICE.id, text: 'hello', format: 'mp3' as const };
      return String(await bytesOf(await client.speak(request, options)));
    },
    result: 'the audio',
  },
  transcribe: {
    ...json,
    good: JSON.stringify({ text: TEXT, language: 'ja', confidence: 1 }),
    call: async (client, options) => client.transcribe(source(AUDIO), {}, options),
    result: { text: TEXT, language: 'ja', confidence: 1 },
  },
  transcribeSegments: {
    ...json,
    good: JSON.stringify({ segments: [{ start: 0, end: 1, text: TEXT }], language: 'ja' }),
    call: async (client, options) => client.transcribeSegments(source(AUDIO), {}, options),
    result: { segments: [{ start: 0, end: 1, text: TEXT }], language: 'ja', confidence: undefined },
  },
  translate: {
    ...COMPLETION,
    call: async (client, options) => client.translate(INPUT, options),
  },
  translateStream: {
    ...EVENTS,
    call: async (client, options) =>
      (await statesOf(client.translateStream(INPUT, options))).result,
  },
  chat: {
    ...COMPLETION,
    call: async (client, options) =>
      (await client.chat(MESSAGES, options)).choices[0]?.message.content,
  },
  chatStream: {
    ...EVENTS,
    call: async (client, options) => (await statesOf(client.chatStream(MESSAGES, options))).result,
  },
  models: {
    ...json,
    good: JSON.stringify({ data: [{ id: 'talk-1' }] }),
    call: async (client, options) => client.models(options),
    result: ['talk-1'],
  },
};
