import OpenAI from 'openai';
import { beforeEach, describe, expect, it } from 'vitest';
import { KEY, makeWav } from '../support.ts';
import { useServedFile, withoutWaitsOf } from './support.ts';

const QUESTION = [{ role: 'user', content: 'Why is the sky blue?' }] as const;
const CHAT = { model: 'talk-1', messages: [...QUESTION] };

describe('the package `openai`', () => {
  const served = useServedFile();
  let client: OpenAI;
  beforeEach(() => {
    client = new OpenAI({ baseURL: served().baseURL, apiKey: KEY });
  });

  const errorOf = async (
    call: PromiseLike<unknown>,
  ): Promise<InstanceType<typeof OpenAI.APIError>> =>
    call.then(
      () => {
        throw new Error('no error');
      },
      (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
    );

  describe('throws its own errors with the service’s words', () => {
    it('for an unknown key', async () => {
      const stranger = client.withOptions({ apiKey: 'svck:unknown-0123456789' });
      const error = await errorOf(stranger.models.list());
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error.status).toBe(401);
      expect(error.message).toContain('Authentication error: Invalid token');
      expect(error.requestID).toMatch(/^[\da-f-]{36}$/);
    });

    it('for a faulty request', async () => {
      const error = await errorOf(client.chat.completions.create({ ...CHAT, messages: [] }));
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error.message).toContain('messages');
    });

    it('for subtitles as a stream, and for times of letters', async () => {
      const given = { file: new File([makeWav(1)], 'speech.wav'), model: 'whisper-1' };
      const streamed = { ...given, stream: true, response_format: 'srt' } as const;
      const error = await errorOf(client.audio.transcriptions.create(streamed));
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error.message).toContain('stream: only json and text are streamed');
      const letters = { ...given, timestamp_granularities: ['letter' as never] };
      const other = await errorOf(client.audio.transcriptions.create(letters));
      expect(other.message).toContain('timestamp_granularities[].0');
    });

    it('for a file that is no audio', async () => {
      const file = new File(['nothing to hear'], 'speech.wav');
      const transcription = client.audio.transcriptions.create({ file, model: 'whisper-1' });
      const error = await errorOf(transcription);
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error.message).toContain('send WAV, OGG, MP3, FLAC, WebM or M4A');
    });

    it('for what the service does not have', async () => {
      const error = await errorOf(client.embeddings.create({ model: 'talk-1', input: 'Hello' }));
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
      expect(error.message).toContain('No engine here makes vectors of texts');
    });

    it('for a model that fails', async () => {
      served().backEnd.fail('/chat/completions', { kind: 'status', status: 503 });
      const once = client.withOptions({ maxRetries: 0 });
      const error = await errorOf(once.chat.completions.create(CHAT));
      expect(error).toBeInstanceOf(OpenAI.InternalServerError);
      expect(error.message).toContain('The backend answered 503. It said: it failed.');
    });

    it('for a stream that breaks', async () => {
      served().backEnd.fail('/chat/completions', { kind: 'cut' });
      const stream = await client.chat.completions.create({ ...CHAT, stream: true });
      const words: unknown[] = [];
      const read = async (): Promise<void> => {
        for await (const { choices } of stream) words.push(choices[0]?.delta.content);
      };
      await expect(read()).rejects.toThrow();
      expect(words).toEqual(['Hal']);
    });

    it('for too many requests, after it has waited as long as it was told', async () => {
      const busy = { kind: 'status', status: 429, retryAfter: '7' } as const;
      served().backEnd.fail('/chat/completions', busy);
      const { value, waits } = await withoutWaitsOf(7_000, () =>
        client.chat.completions.create(CHAT),
      );
      expect(value.choices).toHaveLength(1);
      expect(waits).toBe(1);
      served().backEnd.fail('/chat/completions', busy);
      const once = client.withOptions({ maxRetries: 0 });
      const error = await errorOf(once.chat.completions.create(CHAT));
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect(error.headers?.get('retry-after')).toBe('7');
      expect(error.message).toContain('Retry after 7s');
    });
  });
});
