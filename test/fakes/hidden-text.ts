import {
  codeBlock,
  paragraph,
  quote,
  spoiler,
  text,
  type RichText,
} from '../../src/rich-text/rich-text.ts';

/** A text of so many sentences, whose end hides the word `secret` in each way that there is. */
export const hiddenText = (sentences: number): RichText => [
  paragraph(text('A sentence of some length. '.repeat(sentences)), spoiler(text('a secret'))),
  codeBlock('a secret', undefined, true),
  quote(codeBlock('a secret', undefined, true)),
  paragraph(text('The end.')),
];
