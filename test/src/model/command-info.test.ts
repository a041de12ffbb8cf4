import { expect, test } from 'vitest';
import { formOfPress, type FormInfo } from '../../../src/model/command-info.ts';

const form: FormInfo = { press: 'key set', title: 'Key', label: 'Key', hint: '', maxChars: 9 };

test('the form of a press is that of its name, whatever stands behind the colon', () => {
  const commands = [{}, { forms: [form] }];
  expect(formOfPress(commands, 'key set:one')).toBe(form);
  expect(formOfPress(commands, 'key set')).toBe(form);
  expect(formOfPress(commands, 'key')).toBeUndefined();
});
