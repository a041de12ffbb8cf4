import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embedMany, generateText, isStepCount, Output, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startFakeOpenai } from '../../fakes/openai.ts';
import { KEY, startTestService } from '../support.ts';
import { completion, PICTURE, useServedFile, WEATHER_CALL, withoutWaitsOf } from './support.ts';

const PROMPT = 'Why is the sky blue?';

describe('the package `@ai-sdk/openai-compatible`', () => {
  const served = useServedFile();
  const talk = (apiKey = KEY) => {
    const { baseURL } = served();
    const settings = { name: 'dragoman', apiKey, baseURL };
    return createOpenAICompatible({
      ...settings,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })('talk-1');
  };
  const getWeather = () => {
    const asked: string[] = [];
    return {
      asked,
      tools: {
        get_weather: tool({
          description: 'Get the current temperature of a city.',
          inputSchema: z.object({ city: z.string() }),
          execute: async ({ city }) => {
            asked.push(city);
            return { celsius: 14 };
          },
        }),
      },
    };
  };
  const errorOf = async (call: PromiseLike<unknown>): Promise<APICallError> => {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!APICallError.isInstance(error)) throw new Error('another error', { cause: error });
    return error;
  };

  it('generates text', async () => {
    const { text, usage, finishReason } = await generateText({ model: talk(), prompt: PROMPT });
    expect({ text, finishReason }).toEqual({ text: 'Hello, world', finishReason: 'stop' });
    expect(usage).toMatchObject({ inputTokens: 11, outputTokens: 7, totalTokens: 18 });
  });

  it('makes vectors of texts', async () => {
    await using backEnd = await startFakeOpenai({ models: ['talk-1', 'nomic-embed-text'] });
    await using service = await startTestService({ SERVICE_OPENAI_URL: backEnd.url });
    const embeddings = [
      [0.5, 1],
      [2, 4],
    ];
    backEnd.fail('/embeddings', {
      kind: 'json',
      value: { data: embeddings.map((embedding, index) => ({ index, embedding })) },
    });
    const baseURL = `${service.service.url}/openai/v1`;
    const dragoman = createOpenAICompatible({ name: 'dragoman', apiKey: KEY, baseURL });
    const made = await embedMany({ model: dragoman.embeddingModel('any'), values: ['one', 'two'] });
    expect(made.embeddings).toEqual(embeddings);
  });

  it('streams text', async () => {
    const result = streamText({ model: talk(), prompt: PROMPT });
    const words = await Array.fromAsync(result.textStream);
    expect(words).toEqual(['Hello', ', ', 'world']);
    expect((await result.usage).totalTokens).toBe(18);
  });

  it('sends pictures', async () => {
    const content = [
      { type: 'text', text: 'What is in this image?' } as const,
      { type: 'file', mediaType: 'image/png', data: PICTURE.split(',')[1]! } as const,
    ];
    await generateText({ model: talk(), messages: [{ role: 'user', content }] });
    expect(served().lastBody()['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is in this image?' },
          { type: 'image_url', image_url: { url: PICTURE } },
        ],
      },
    ]);
  });

  it('generates structured output', async () => {
    const content = '{"name":"science fair","day":"Friday"}';
    served().backEnd.fail('/chat/completions', { kind: 'json', value: completion({ content }) });
    const schema = z.object({ name: z.string(), day: z.string() });
    const output = Output.object({ schema });
    const result = await generateText({ model: talk(), prompt: PROMPT, output });
    expect(result.output).toEqual({ name: 'science fair', day: 'Friday' });
    expect(served().lastBody()['response_format']).toMatchObject({ type: 'json_schema' });
  });

  it('calls tools, and sends their results back', async () => {
    served().callTool('whole');
    const { asked, tools } = getWeather();
    const stopWhen = isStepCount(3);
    const { text } = await generateText({ model: talk(), prompt: PROMPT, tools, stopWhen });
    expect({ text, asked }).toEqual({ text: 'Hello, world', asked: ['Paris'] });
    expect(served().lastBody()['messages']).toMatchObject([
      { role: 'user', content: PROMPT },
      { role: 'assistant', tool_calls: [WEATHER_CALL] },
      { role: 'tool', tool_call_id: WEATHER_CALL.id, content: '{"celsius":14}' },
    ]);
  });

  it('calls tools whose arguments come in a stream', async () => {
    served().callTool('streamed');
    const { asked, tools } = getWeather();
    const stopWhen = isStepCount(3);
    const result = streamText({ model: talk(), prompt: PROMPT, tools, stopWhen });
    expect(await result.text).toBe('Hello, world');
    expect(asked).toEqual(['Paris']);
  });

  it('frees the engine when it leaves a stream in the middle', async () => {
    const release = served().backEnd.hold();
    const controller = new AbortController();
    const { signal: abortSignal } = controller;
    const result = streamText({ model: talk(), prompt: PROMPT, abortSignal });
    for await (const _ of result.textStream) controller.abort();
    expect(await served().backEnd.requests.at(-1)?.aborted).toBe(true);
    release();
  });

  describe('throws its own errors, with the service’s words in their body', () => {
    it('for an unknown key', async () => {
      const model = talk('svck:unknown-0123456789');
      const error = await errorOf(generateText({ model, prompt: PROMPT }));
      expect(error).toMatchObject({ statusCode: 401, isRetryable: false });
      expect(error.message).toBe('Unauthorized');
      expect(error.responseBody).toContain('Authentication error: Invalid token');
    });

    it('for a faulty request', async () => {
      const content = 'x'.repeat(9_000_000);
      const error = await errorOf(generateText({ model: talk(), prompt: content }));
      expect(error).toMatchObject({ statusCode: 400, isRetryable: false });
      expect(error.responseBody).toContain('ErrRequestTooLarge');
    });

    it('for too many requests, after it has waited as long as it was told', async () => {
      const busy = { kind: 'status', status: 429, retryAfter: '7' } as const;
      served().backEnd.fail('/chat/completions', busy);
      const { value, waits } = await withoutWaitsOf(7_000, () =>
        generateText({ model: talk(), prompt: PROMPT }),
      );
      expect(value.text).toBe('Hello, world');
      expect(waits).toBe(1);
      served().backEnd.fail('/chat/completions', busy);
      const once = generateText({ model: talk(), prompt: PROMPT, maxRetries: 0 });
      const error = await errorOf(once);
      expect(error).toMatchObject({ statusCode: 429, isRetryable: true });
      expect(error.responseBody).toContain('Retry after 7s');
    });
  });
});
