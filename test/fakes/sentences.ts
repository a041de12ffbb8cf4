import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import type { SentenceParams, MessageKey } from '../../src/errors.ts';
import type { Naming } from '../../src/model/command-info.ts';
import { realTexts as texts } from './texts.ts';

const FOLDER = join(import.meta.dirname, '../../locales');
const english = JSON.parse(readFileSync(join(FOLDER, 'en.json'), 'utf8')) as Record<string, string>;

/** The sentence of a key as people see it; in English unless another locale is named. */
export const sentence = (
  key: MessageKey,
  params?: SentenceParams,
  locale = 'en',
  naming?: Naming,
): string => texts.in(locale, naming)(key, params);

type Element = ReturnType<IntlMessageFormat['getAst']>[number];

/** The type of an element that is plain text: the enum is not exported. */
const LITERAL = 0;

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

type Given = Readonly<Record<string, string | number>>;

const patternOf = (elements: readonly Element[], given: Given): string =>
  elements
    .map((element) => {
      if ('options' in element) {
        const options = Object.values(element.options).map(({ value }) => patternOf(value, given));
        return `(?:${options.join('|')})`;
      }
      if (!('value' in element)) return String.raw`[\d.,]+`;
      const type: number = element.type;
      if (type === LITERAL) return escape(element.value);
      const known = given[element.value];
      return known === undefined ? '[^]*?' : escape(String(known));
    })
    .join('');

/** Finds an English sentence in a text, whatever stands for the parameters that are not given. */
export const sentenceLike = (key: MessageKey, given: Given = {}): RegExp => {
  const format = new IntlMessageFormat(english[key] ?? '', 'en', undefined, { ignoreTag: true });
  return new RegExp(patternOf(format.getAst(), given));
};
