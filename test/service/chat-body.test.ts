import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { readChatBody } from '../../service/chat-body.ts';

async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const withModel = async (text: string, model: string, size = 65_536): Promise<string> =>
  Buffer.from((await readChatBody(inChunks(text, size))).withModel(model)).toString();

const MESSAGES = '"messages": [ {"role":"user","content":"\\u0041 \\"model\\":","n":1.0} ]';

describe('a chat body', () => {
  it.each([
    ['the model asked for', `{ "model" : "b", ${MESSAGES} }`, `{ "model" : "b", ${MESSAGES} }`],
    ['another', `{${MESSAGES}, "model" : "a\\"c" }`, `{${MESSAGES}, "model" : "b" }`],
    ['none', ` { ${MESSAGES}}`, ` {"model":"b", ${MESSAGES}}`],
    [
      'one inside only',
      `{"x":{"model":"a"}, ${MESSAGES}}`,
      `{"model":"b","x":{"model":"a"}, ${MESSAGES}}`,
    ],
  ])('with %s is passed on as written but for the model', async (_, text, expected) => {
    expect(await withModel(text, 'b')).toBe(expected);
  });

  it.each([
    `{"model":"a", ${MESSAGES}, "mod\\u0065l":"c"}`,
    `{"mod\\u0065l":"a", ${MESSAGES}}`,
    `{"model":"a","model":"c", ${MESSAGES}}`,
  ])('with a model written oddly asks for the right one: %s', async (text) => {
    expect(JSON.parse(await withModel(text, 'b'))).toMatchObject({ model: 'b' });
  });

  it('says the same but for the model, however it is written and cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom('model', 'x', 'é"', '\\'), fc.jsonValue({ maxDepth: 3 })),
        fc.option(fc.string(), { nil: undefined }),
        fc.string(),
        fc.constantFrom(0, 2),
        fc.integer({ min: 1, max: 40 }),
        async (others, own, asked, indent, size) => {
          const { model: _, ...rest } = others;
          const body = {
            ...rest,
            messages: [{ role: 'user' }],
            ...(own === undefined ? {} : { model: own }),
          };
          const sent = JSON.stringify(body, undefined, indent);
          expect(JSON.parse(await withModel(sent, asked, size))).toEqual(
            JSON.parse(JSON.stringify({ ...body, model: asked })),
          );
        },
      ),
    );
  });

  it.each([
    ['deeply nested', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['of very many values', `[${'1,'.repeat(30_000)}1]`],
    ['of very many arrays', `[${'[[[[[]]]]],'.repeat(5_000)}1]`],
  ])('%s is refused before it is parsed', async (_, value) => {
    await expect(readChatBody(inChunks(`{${MESSAGES},"x":${value}`, 65_536))).rejects.toMatchObject(
      {
        named: 'ErrInvalidRequest',
        message: 'The request body is too deep or has too many parts.',
      },
    );
  });

  it('with large pictures is passed on as written, and does not hold up others', async () => {
    const url = 'x'.repeat(3_500_000);
    const content = [1, 2].map(() => ({ type: 'image_url', image_url: { url } }));
    const sent = JSON.stringify({ model: 'a', messages: [{ role: 'user', content }] });
    const parse = vi.spyOn(JSON, 'parse');
    try {
      const asked = await withModel(sent, 'b');
      expect(asked === sent.replace('"a"', '"b"')).toBe(true);
      expect(parse.mock.calls.map(([text]) => text.length < 1_000)).toEqual([true]);
    } finally {
      parse.mockRestore();
    }
  });

  it('with a large picture and a model written oddly is refused', async () => {
    const url = 'x'.repeat(3_000_000);
    const sent = `{"mod\\u0065l":"a", ${MESSAGES}, "url":"${url}"}`;
    await expect(withModel(sent, 'b')).rejects.toMatchObject({ named: 'ErrInvalidRequest' });
  });

  it('with more text than is parsed is refused', async () => {
    const texts = Array.from({ length: 200 }, () => 'x'.repeat(12_000));
    const sent = `{${MESSAGES}, "texts":${JSON.stringify(texts)}}`;
    await expect(withModel(sent, 'b')).rejects.toMatchObject({
      named: 'ErrRequestTooLarge',
      message: 'The request body is over 2097152 bytes, strings over 16384 not counted.',
    });
  });

  it('of two thousand messages is taken', async () => {
    const messages = Array.from({ length: 2_000 }, () => ({ role: 'user', content: 'hi' }));
    const { model } = await readChatBody(inChunks(JSON.stringify({ messages }), 65_536));
    expect(model).toBeUndefined();
  });

  it.each([
    ['{"max_completion_tokens":20,"max_tokens":30,', 20],
    ['{"max_tokens":30,', 30],
    ['{', 1_000],
    ['{"max_tokens":-1,', 1_000],
    ['{"max_tokens":1e400,', 1_000],
  ])('that begins with %s may be answered with this many tokens', async (fields, tokens) => {
    const body = `${fields}"messages":[{"role":"user"}]}`;
    expect((await readChatBody(inChunks(body, 65_536))).mostTokens).toBe(tokens);
  });

  const wordBytes = async (body: object): Promise<number> =>
    (await readChatBody(inChunks(JSON.stringify(body), 65_536))).wordBytes();

  it('has words in its messages and their calls of tools, and none in pictures and sound', async () => {
    const messages = [
      { role: 'system', content: 'zwölf' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'sky' },
    ];
    expect(await wordBytes({ model: 'a', stream: true, n: 1, messages })).toBe(6 + 4 + 8 + 5);
  });

  it('has words in tools, schemas and all else that a model may read', async () => {
    const messages = [{ role: 'user', content: 'hi' }];
    const tools = [{ type: 'function', function: { name: 'find', parameters: { é: {} } } }];
    const response_format = { type: 'json_schema', json_schema: { schema: { a: 'b' } } };
    const more = { tools, response_format, prediction: 'x', stream_options: { a: 1 }, stop: null };
    expect(await wordBytes({ messages, ...more })).toBe(
      2 + Buffer.byteLength(JSON.stringify(tools) + JSON.stringify(response_format) + '"x"'),
    );
  });

  it('that is large has words in all long strings but pictures', async () => {
    const long = 'x'.repeat(1_500_000);
    const content = [
      { type: 'text', text: long },
      { type: 'text', text: `data:${long}` },
      { type: 'image_url', image_url: { url: long } },
    ];
    const messages = [{ role: 'user', content }];
    expect(await wordBytes({ messages, tools: [] })).toBe(3_000_000 + 5 + 2);
    const sound = [{ type: 'input_audio', input_audio: { data: long + long, format: 'wav' } }];
    expect(await wordBytes({ messages: [{ role: 'user', content: sound }] })).toBe(0);
  });
});
