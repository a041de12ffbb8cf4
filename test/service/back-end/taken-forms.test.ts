import { expect, it } from 'vitest';
import { createTakenForms } from '../../../service/back-end/taken-forms.ts';
import { BackendError } from '../../../service/errors.ts';

const refusal = (status = 400): Error =>
  new BackendError('no', { status, mediaType: '', body: new Uint8Array() });

it('asks in plainer forms after a refusal, and leaves out what was refused once one is taken', async () => {
  const inForm = createTakenForms<string>();
  const asked: string[] = [];
  const taken = new Set<string>();
  const ask = async (form: string): Promise<string> => {
    asked.push(form);
    if (!taken.has(form)) throw refusal();
    return form;
  };
  await expect(inForm(['a', 'b', 'c'], ask)).rejects.toThrow('no');
  taken.add('c');
  expect(await inForm(['a', 'b', 'c'], ask)).toBe('c');
  expect(await inForm(['a', 'b', 'c'], ask)).toBe('c');
  expect(asked.join('')).toBe('abcabcc');
});

it('asks in no other form after a fault that is no refusal', async () => {
  const inForm = createTakenForms<string>();
  const asked: string[] = [];
  const ask = async (form: string): Promise<string> => {
    asked.push(form);
    throw refusal(503);
  };
  await expect(inForm(['a', 'b'], ask)).rejects.toThrow('no');
  expect(asked).toEqual(['a']);
});
