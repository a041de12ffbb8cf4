import type { Content } from '../model/message.ts';
import { labelled } from './compose.ts';
import { text, type RichText } from './rich-text.ts';

const SIGNS = { plain: undefined, question: undefined, note: 'ℹ️', error: '⚠️' } as const;

/** The text of a content, behind the sign of its tone. */
export const signedText = ({ text: tree, tone = 'plain' }: Content): RichText => {
  const sign = SIGNS[tone];
  return sign ? labelled([text(sign)], tree) : tree;
};
