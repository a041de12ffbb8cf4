import type { NamedContent } from '../../../../adapters/slack/mentions.ts';
import { expect, test } from 'vitest';
import { DATE_FORMATS } from '../../../../adapters/slack/rich-text/atoms.ts';
import { render } from '../../../../adapters/slack/outbound/render.ts';
import { subtext, text, timestamp } from '../../../../src/rich-text/rich-text.ts';
import { hiddenText } from '../../../fakes/hidden-text.ts';

test('the file of a very long text holds nothing that spoilers hide', () => {
  const files = render({ text: hiddenText(2_000) } as unknown as NamedContent).flatMap(
    (part) => part.files,
  );
  const written = files.map((file) => ('bytes' in file ? Buffer.from(file.bytes).toString() : ''));
  expect(written).toEqual([expect.stringContaining('The end.')]);
  expect(written.join('')).not.toContain('secret');
});

test('times in small lines are in the time zone of who reads them', () => {
  const [part] = render({
    text: [subtext(text('since '), timestamp(60, 't'))],
  } as unknown as NamedContent);
  expect(part.blocks).toMatchObject([
    {
      type: 'context',
      elements: [
        { type: 'plain_text', text: 'since ' },
        { type: 'mrkdwn', text: '<!date^60^{time}|1970-01-01 00:01 UTC>' },
      ],
    },
  ]);
});

test('formats of times have no words of any language', () => {
  for (const format of Object.values(DATE_FORMATS))
    expect(format.replaceAll(/\{[a-z_]+\}/g, '').trim()).toBe('');
});
