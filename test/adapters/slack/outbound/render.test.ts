import { expect, test } from 'vitest';
import { render } from '../../../../adapters/slack/outbound/render.ts';
import { hiddenText } from '../../../fakes/hidden-text.ts';

test('the file of a very long text holds nothing that spoilers hide', () => {
  const files = render({ text: hiddenText(2_000) }).flatMap((part) => part.files);
  const written = files.map((file) => ('bytes' in file ? Buffer.from(file.bytes).toString() : ''));
  expect(written).toEqual([expect.stringContaining('The end.')]);
  expect(written.join('')).not.toContain('secret');
});
