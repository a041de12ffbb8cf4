import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { failure, KEY } from '../support.ts';
import { completion, useServedFile } from './support.ts';

const ASKED = { model: 'talk-1', input: 'Why is the sky blue?' };

describe('responses of the package `openai`', () => {
  const served = useServedFile();
  let client: OpenAI;
  beforeEach(() => {
    client = new OpenAI({ baseURL: served().baseURL, apiKey: KEY });
  });

  it('come whole, with their usage', async () => {
    const reply = await client.responses.create({ ...ASKED, instructions: 'Be brief.' });
    expect(reply.output_text).toBe('Hello, world');
    expect(reply).toMatchObject({ status: 'completed', model: 'talk-1-2026' });
    expect(reply.usage).toMatchObject({ input_tokens: 11, output_tokens: 7, total_tokens: 18 });
    expect(served().lastBody()['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: ASKED.input },
    ]);
  });

  it('come in pieces, and then whole', async () => {
    const words: string[] = [];
    const stream = client.responses.stream(ASKED);
    stream.on('response.output_text.delta', ({ delta }) => words.push(delta));
    const whole = await stream.finalResponse();
    expect(words).toEqual(['Hello', ', ', 'world']);
    expect(whole.output_text).toBe('Hello, world');
    expect(whole.usage?.total_tokens).toBe(18);
  });

  it('go on with a conversation, and ask for a shape of JSON', async () => {
    await client.responses.create({
      ...ASKED,
      max_output_tokens: 40,
      input: [
        { role: 'developer', content: 'Talk like a pirate.' },
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { role: 'assistant', content: 'Ahoy' },
        { role: 'user', content: 'Where are we?' },
      ],
      text: { format: zodTextFormat(z.object({ place: z.string() }), 'place') },
    });
    expect(served().lastBody()).toMatchObject({
      max_tokens: 40,
      messages: [
        { role: 'system', content: 'Talk like a pirate.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Ahoy' },
        { role: 'user', content: 'Where are we?' },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true } },
    });
  });

  it('come in pieces from a backend that sends its answer whole', async () => {
    served().backEnd.fail('/chat/completions', {
      kind: 'json',
      value: completion({ content: 'Because.' }),
    });
    expect((await client.responses.stream(ASKED).finalResponse()).output_text).toBe('Because.');
  });

  it('fail where an error stands in place of the answer, or it breaks off', async () => {
    const { backEnd } = served();
    const error = { error: { message: 'out of memory' } };
    backEnd.fail('/chat/completions', { kind: 'json', value: error });
    const options = { maxRetries: 0 };
    await expect(client.responses.create(ASKED, options)).rejects.toMatchObject({ status: 502 });
    backEnd.fail('/chat/completions', { kind: 'events', body: 'data: [DONE]\n\n' });
    await expect(client.responses.create(ASKED, options)).rejects.toMatchObject({ status: 502 });
    const begun = `data: ${JSON.stringify({ choices: [{ delta: { content: 'Hel' } }] })}\n\n`;
    for (const rest of [`data: ${JSON.stringify(error)}\n\ndata: [DONE]\n\n`, '']) {
      backEnd.fail('/chat/completions', { kind: 'events', body: begun + rest });
      await expect(client.responses.stream(ASKED, options).finalResponse()).rejects.toThrow();
    }
  });

  it.each([
    ['a stored response', { previous_response_id: 'resp_1' }],
    ['tools', { tools: [{ type: 'web_search' }] }],
    ['pictures', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }],
    ['no input', { input: '' }],
  ])('are refused with 400 for %s', async (_, fields) => {
    const reply = await served().service.postJson('/openai/v1/responses', { ...ASKED, ...fields });
    expect(await failure(reply)).toMatchObject({ status: 400, name: 'ErrInvalidParameter' });
  });
});
