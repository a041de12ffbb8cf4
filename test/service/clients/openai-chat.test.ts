import OpenAI from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { KEY } from '../support.ts';
import { completion, PICTURE, useServedFile, WEATHER_CALL } from './support.ts';

const QUESTION = [{ role: 'user', content: 'Why is the sky blue?' }] as const;
const CHAT = { model: 'talk-1', messages: [...QUESTION] };
const WEATHER_TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the current temperature of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    strict: true,
  },
} as const;

describe('the package `openai`', () => {
  const served = useServedFile();
  let client: OpenAI;
  beforeEach(() => {
    client = new OpenAI({ baseURL: served().baseURL, apiKey: KEY });
  });

  describe('chats', () => {
    it('with a whole reply, its usage and the request’s id', async () => {
      const call = client.chat.completions.create(CHAT).withResponse();
      const { data: reply, request_id: id } = await call;
      expect(reply.choices[0]?.message.content).toBe('Hello, world');
      expect(reply.usage?.total_tokens).toBe(18);
      expect(id).toMatch(/^[\da-f-]{36}$/);
    });

    it('with a stream, and with its usage where it is asked for', async () => {
      const options = { stream: true, stream_options: { include_usage: true } } as const;
      const stream = await client.chat.completions.create({ ...CHAT, ...options });
      const words: string[] = [];
      let tokens: number | undefined;
      for await (const { choices, usage } of stream) {
        const [choice] = choices;
        if (choice?.delta.content) words.push(choice.delta.content);
        tokens ??= usage?.total_tokens;
      }
      expect(words).toEqual(['Hello', ', ', 'world']);
      expect(tokens).toBe(18);
    });

    it('with roles and parameters that the service does not know', async () => {
      const messages: ChatCompletionMessageParam[] = [
        { role: 'developer', content: 'Talk like a pirate.' },
        ...QUESTION,
      ];
      const parameters = { reasoning_effort: 'low', max_completion_tokens: 100 } as const;
      await client.chat.completions.create({ ...CHAT, messages, ...parameters });
      expect(served().lastBody()).toEqual({ model: 'talk-1', messages, ...parameters });
    });

    it.each([
      ['a picture', PICTURE],
      ['a photo of 5 MB', `data:image/jpeg;base64,${'A'.repeat(7_000_000)}`],
    ])('with %s', async (_, url) => {
      const messages: ChatCompletionMessageParam[] = [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is in this image?' },
            { type: 'image_url', image_url: { url, detail: 'low' } },
          ],
        },
      ];
      await client.chat.completions.create({ model: 'talk-1', messages });
      expect(served().lastBody()['messages']).toEqual(messages);
    });

    it('with structured output', async () => {
      const format = zodResponseFormat(z.object({ name: z.string(), day: z.string() }), 'event');
      const content = '{"name":"science fair","day":"Friday"}';
      served().backEnd.fail('/chat/completions', { kind: 'json', value: completion({ content }) });
      const reply = await client.chat.completions.parse({ ...CHAT, response_format: format });
      expect(reply.choices[0]?.message.parsed).toEqual({ name: 'science fair', day: 'Friday' });
      expect(served().lastBody()['response_format']).toEqual(JSON.parse(JSON.stringify(format)));
    });
  });

  describe('calls tools', () => {
    it('and sends their results back', async () => {
      served().callTool('whole');
      const messages: ChatCompletionMessageParam[] = [...QUESTION];
      const tools = [WEATHER_TOOL];
      const asked = await client.chat.completions.create({ model: 'talk-1', messages, tools });
      const message = asked.choices[0]!.message;
      const [call] = message.tool_calls ?? [];
      expect(call).toEqual(WEATHER_CALL);
      messages.push(message, { role: 'tool', tool_call_id: call!.id, content: '14 °C' });
      const told = await client.chat.completions.create({ model: 'talk-1', messages, tools });
      expect(told.choices[0]?.message.content).toBe('Hello, world');
      expect(served().lastBody()).toMatchObject({
        tools: [WEATHER_TOOL],
        messages: [
          ...QUESTION,
          { role: 'assistant', tool_calls: [WEATHER_CALL] },
          { role: 'tool', tool_call_id: WEATHER_CALL.id, content: '14 °C' },
        ],
      });
    });

    it('whose arguments come in a stream', async () => {
      served().callTool('streamed');
      const stream = client.chat.completions.stream({ ...CHAT, tools: [WEATHER_TOOL] });
      const pieces: string[] = [];
      stream.on('tool_calls.function.arguments.delta', (event) =>
        pieces.push(event.arguments_delta),
      );
      const message = await stream.finalMessage();
      expect(pieces.length).toBeGreaterThan(2);
      expect(message.tool_calls?.[0]).toMatchObject(WEATHER_CALL);
    });

    it('by itself until there is an answer', async () => {
      served().callTool('whole');
      const asked: unknown[] = [];
      const getWeather = zodFunction({
        name: 'get_weather',
        parameters: z.object({ city: z.string() }),
        function: (given) => {
          asked.push(given);
          return '14 °C';
        },
      });
      const runner = client.chat.completions.runTools({ ...CHAT, tools: [getWeather] });
      expect(await runner.finalContent()).toBe('Hello, world');
      expect(asked).toEqual([{ city: 'Paris' }]);
    });
  });

  it('frees the engine when it leaves a stream in the middle', async () => {
    const release = served().backEnd.hold();
    // More than the engine does at once, so that one that stays busy would stop the last.
    for (let round = 0; round < 20; round += 1) {
      const stream = await client.chat.completions.create({ ...CHAT, stream: true });
      if (round % 2 === 0) for await (const _ of stream) break;
      else stream.controller.abort();
      expect(await served().backEnd.requests.at(-1)?.aborted).toBe(true);
    }
    release();
    expect((await client.chat.completions.create(CHAT)).choices).toHaveLength(1);
  });

  it('lists the models', async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(['talk-1']);
  });
});
