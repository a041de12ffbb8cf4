import { expect, it } from 'vitest';
import { answerText } from '../../../src/chat/answer-text.ts';
import { parseMarkdown } from '../../../src/rich-text/markdown/parse.ts';
import { renderMarkdown } from '../../../src/rich-text/markdown/render.ts';

it('the text of a model shows the addresses of its links, whatever they are labelled', () => {
  const shown = renderMarkdown(
    answerText('Free [**nitro** at bank.example](https://evil.example/x), or https://b.example'),
  );
  expect(shown).toContain('**nitro** at bank.example (');
  expect(shown).toContain('https://evil.example/x');
  expect(shown).not.toContain('](https://evil.example');
});

it('the text of a model without links is as it was written', () => {
  const written = '- one\n- `two`\n\n> three';
  expect(answerText(written)).toEqual(parseMarkdown(written));
});
