import { describe, expect, it } from 'vitest';
import {
  composeAsAuthor,
  composeFlagReply,
  composeReply,
} from '../../../../src/autotranslate/prepare/compose.ts';
import type { Rendition, Translated } from '../../../../src/autotranslate/prepare/translate.ts';
import { lines } from '../../../../src/rich-text/compose.ts';
import { link, styled, text } from '../../../../src/rich-text/rich-text.ts';
import { languageName } from '../../../../src/text/language/languages.ts';
import { tree } from '../../../fakes/markup.ts';
import { messageOf } from '../../store/inbox/support.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { realTexts as texts } from '../../../fakes/texts.ts';

const LARGE = { key: 'reasons.too-large' } as const;
const languages = { name: languageName };
const renditionOf = (language: string, written: string): Rendition => ({
  language,
  from: 'en',
  text: tree(written),
  heard: undefined,
  outcome: 'translated',
  isTranslated: true,
});
const translatedOf = (...renditions: readonly Rendition[]): Translated => ({
  transcript: undefined,
  renditions,
  used: { characters: 0, audioMs: 0 },
  unheard: [],
  fault: undefined,
  willRetry: false,
});
const replyWith = (...renditions: readonly Rendition[]) =>
  composeReply(translatedOf(...renditions), { languages, texts });

describe('a reply', () => {
  it('keeps the form of each language’s text, with its label in front or above', () => {
    const reply = replyWith(
      renditionOf('es', '> *hola*'),
      renditionOf('ja', 'いち\n\nに'),
      renditionOf('fr', '> salut'),
    );
    expect(reply).toEqual({
      label: [text('🇪🇸')],
      blocks: [
        { label: [text('🇪🇸')], text: tree('> *hola*') },
        { label: [text('🇯🇵')], text: tree('いち\n\nに') },
        { label: [text('🇫🇷')], text: tree('> salut') },
      ],
      content: { text: tree('> *hola*\n🇯🇵 いち\n\nに\n🇫🇷\n> salut') },
    });
  });

  it('names a language without a flag in bold', () => {
    expect(replyWith(renditionOf('eo', 'saluton'))?.label).toEqual([
      styled('bold', text('Esperanto')),
    ]);
  });
});

describe('the reply to a flag', () => {
  const noteOf = (models: readonly string[]) => {
    const translated = translatedOf({ ...renditionOf('es', 'hola'), models });
    return composeFlagReply(translated, undefined, { languages, texts })?.content.text;
  };

  it('names a small engine in the language of its reader, and no other', () => {
    const note = texts.rich('es')('translate.small-engine', { engines: 'Bergamot' });
    expect(noteOf(['bergamot-en-es', 'bergamot-en-es'])).toEqual(lines(tree('hola'), note));
    expect(noteOf(['large'])).toEqual(tree('hola'));
    expect(noteOf([])).toEqual(tree('hola'));
  });
});

describe('a mirror under its author’s name', () => {
  it('shows names of stickers and files as they are, whatever is in them', () => {
    const url = 'https://a.example/duck.png';
    const sticker = { name: '[x](https://evil.example) **duck**', url };
    const message = { ...messageOf(1), stickers: [sticker], forwarded: true };
    const attachments = { files: [], leftOut: [{ name: '_a_\n# b.txt', reason: LARGE }] };
    const { content } = composeAsAuthor(
      message,
      renditionOf('es', '**hola**'),
      { unheard: [], fault: undefined, willRetry: false },
      { languages, texts },
      attachments,
    );
    expect(content.text).toEqual([
      { kind: 'subtext', children: [text('↪')] },
      {
        kind: 'paragraph',
        children: [
          styled('bold', text('hola')),
          text('\n'),
          link(url, text(sticker.name)),
          text(
            `\n${sentence('autotranslate.file-left-out', { name: '_a_ # b.txt', reason: sentence(LARGE.key, {}, 'es') }, 'es')}`,
          ),
        ],
      },
    ]);
  });
});
