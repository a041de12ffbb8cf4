import { expect, it } from 'vitest';
import { readChatRequest } from '../../../../service/engines/llama/request.ts';

const MESSAGES = [{ role: 'user', content: 'hi' }];
const read = (fields: object) => readChatRequest({ messages: MESSAGES, ...fields });

it('the parts of a message are joined, and a developer is the system', () => {
  const parts = ['a', 'b'].map((text) => ({ type: 'text', text }));
  const messages = [
    { role: 'developer', content: 'rules' },
    { role: 'user', content: parts },
    { role: 'assistant', content: null },
  ];
  expect(read({ messages }).completion.messages).toEqual([
    { role: 'system', content: 'rules' },
    { role: 'user', content: 'a\nb' },
    { role: 'assistant', content: '' },
  ]);
});

it('tokens are always bounded, by the newer of two names first', () => {
  expect(read({}).completion.mostTokens).toBe(1_000);
  expect(read({ max_tokens: 5 }).completion.mostTokens).toBe(5);
  const both = { max_tokens: 5, max_completion_tokens: 7 };
  expect(read(both).completion.mostTokens).toBe(7);
});

it('a schema is written with the keywords that the library knows', () => {
  const schema = {
    type: 'object',
    properties: { anyOf: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/list' }] } },
    $defs: { list: { type: 'array', items: { anyOf: [{ const: 1 }, { enum: ['a'] }] } } },
    additionalProperties: false,
  };
  const format = { type: 'json_schema', json_schema: { name: 'x', schema } };
  expect(read({ response_format: format }).completion.format).toEqual({
    type: 'object',
    properties: { anyOf: { oneOf: [{ type: 'string' }, { $ref: '#/$defs/list' }] } },
    $defs: { list: { type: 'array', items: { oneOf: [{ const: 1 }, { enum: ['a'] }] } } },
    additionalProperties: false,
  });
  expect(read({ response_format: { type: 'json_object' } }).completion.format).toBe('json');
  expect(read({ response_format: { type: 'text' } }).completion.format).toBeUndefined();
});

it.each([{ allOf: [{ type: 'string' }] }, { type: 'object', properties: { a: { not: {} } } }, {}])(
  'a schema is refused that would be kept to in part: %j',
  (schema) => {
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    expect(() => read({ response_format: format })).toThrow(/the schema has parts/);
  },
);
