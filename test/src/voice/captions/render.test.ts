import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caption } from '../../../../src/voice/captions/caption.ts';
import {
  renderCaptions,
  writtenUnits,
  type RenderOptions,
} from '../../../../src/voice/captions/render.ts';
import { parseDiscord } from '../../../../adapters/discord/rich-text/parse.ts';
import { renderDiscord } from '../../../../adapters/discord/rich-text/render.ts';
import { visit } from '../../../../src/rich-text/walk.ts';
import { oneLine } from '../../../../src/text/quoted-words.ts';
import { markdownOf } from '../../../fakes/rich-text.ts';
import { anyText } from '../../text/any-text.ts';
import { caption, translated } from './fakes.ts';

const linesOf = (captions: readonly Caption[], options: Partial<RenderOptions> = {}) =>
  renderCaptions(captions, { longest: 1_800, ...options });

const render = (captions: readonly Caption[], options: Partial<RenderOptions> = {}): string =>
  markdownOf(linesOf(captions, options));

/** Kinds of inline nodes that a platform reads in captions as it writes them, in order. */
const kindsRead = (lines: ReturnType<typeof linesOf>): string[] => {
  const kinds: string[] = [];
  visit(parseDiscord(renderDiscord(lines)), ({ kind }) => kinds.push(kind));
  return kinds.filter((kind) => kind !== 'paragraph' && kind !== 'text');
};

const soon = { startMs: 20_000, endMs: 21_000 };
const justBefore = { startMs: 18_000, endMs: 19_000 };

describe('rendered captions', () => {
  it('have the name in front and translations beneath, each with its flag', () => {
    expect(
      render([caption(1, { translations: translated({ es: 'Hola.', ja: 'こんにちは。' }) })]),
    ).toBe('**Ann**: line 1.\n↳ 🇪🇸 Hola.\n↳ 🇯🇵 こんにちは。');
  });

  it('name a language that has no flag', () => {
    expect(render([caption(1, { translations: translated({ eo: 'Saluton.' }) })])).toBe(
      '**Ann**: line 1.\n↳ **Esperanto** Saluton.',
    );
  });

  it('show what still grows in italics', () => {
    expect(
      render([
        caption(1, { translations: translated({ es: { text: 'Ho' }, fr: {} }) }),
        caption(2, { isFinal: false }),
      ]),
    ).toBe('**Ann**: line 1.\n↳ 🇪🇸 *Ho …*\n↳ 🇫🇷 …\n**Ann**: *line 2. …*');
  });

  it('put what one speaker says in a row under one name', () => {
    expect(
      render([
        caption(1, { ...justBefore, translations: translated({ es: 'Uno.' }) }),
        caption(2, { ...soon, isFinal: false }),
        caption(3, { speakerId: 'b', name: 'Ben', startMs: 21_500 }),
      ]),
    ).toBe('**Ann**: line 1. *line 2. …*\n↳ 🇪🇸 Uno.\n**Ben**: line 3.');
  });

  it('begin anew after a pause, and where a paragraph grows long', () => {
    expect(render([caption(1), caption(2)])).toBe('**Ann**: line 1.\n**Ann**: line 2.');
    const text = 'long '.repeat(40).trim();
    const lines = render([caption(1, { ...justBefore, text }), caption(2, { ...soon, text })]);
    expect(lines.split('\n')).toHaveLength(2);
  });

  it('mark where a translation is missing among others', () => {
    expect(
      render([
        caption(1, { ...justBefore }),
        caption(2, { ...soon, translations: translated({ es: 'Dos.' }) }),
      ]),
    ).toBe('**Ann**: line 1. line 2.\n↳ 🇪🇸 \\[…] Dos.');
  });

  it('have a sign where a translation failed', () => {
    const failed = { text: '', done: true, failed: true };
    expect(
      render([
        caption(1, { ...justBefore, translations: translated({ es: failed, fr: 'Un.' }) }),
        caption(2, { ...soon, translations: translated({ es: 'Dos.', fr: 'Deux.' }) }),
      ]),
    ).toBe('**Ann**: line 1. line 2.\n↳ 🇪🇸 ⚠️ Dos.\n↳ 🇫🇷 Un. Deux.');
  });

  it('have a sign once for what stands side by side', () => {
    const failed = { text: '', done: true, failed: true };
    const one = { ...justBefore, translations: translated({ es: failed, fr: {} }) };
    const two = { ...soon, translations: translated({ es: failed, fr: {} }) };
    expect(render([caption(1, one), caption(2, two)])).toBe(
      '**Ann**: line 1. line 2.\n↳ 🇪🇸 ⚠️\n↳ 🇫🇷 …',
    );
  });

  it('are in the reader’s language alone where there is one', () => {
    const options = { language: 'es-MX' };
    expect(
      render([caption(1, { translations: translated({ es: 'Uno.', fr: 'Un.' }) })], options),
    ).toBe('**Ann**: Uno.');
    expect(render([caption(1, { language: 'es', text: 'Hola.' })], options)).toBe('**Ann**: Hola.');
    expect(render([caption(1)], options)).toBe('**Ann**: line 1.');
    expect(render([caption(1, { translations: translated({ es: {} }) })], options)).toBe(
      '**Ann**: *line 1. …*',
    );
    expect(
      render([caption(1, { translations: translated({ es: { text: 'Un' } }) })], options),
    ).toBe('**Ann**: *Un …*');
  });

  it('show a reader of one language the sign for that language alone', () => {
    const failed = { text: '', done: true, failed: true };
    const one = { ...justBefore, translations: translated({ es: failed, fr: failed }) };
    const two = { ...soon, translations: translated({ es: failed, fr: 'Deux.' }) };
    expect(render([caption(1, one), caption(2, two)], { language: 'fr' })).toBe(
      '**Ann**: line 1. ⚠️ Deux.',
    );
    expect(render([caption(1, { ...one, language: 'fr' })], { language: 'fr' })).toBe(
      '**Ann**: line 1.',
    );
  });

  it('keep names and speech on their line, without markup, mentions and links', () => {
    const text = '**x** ```js\n> # `y` ||z|| <@1> @everyone <#2> [a](https://b.c) https://d.e';
    const lines = linesOf([caption(1, { name: '**@here**\n# <@&3>', text })]);
    expect(lines).toHaveLength(1);
    expect(kindsRead(lines)).toEqual(['bold']);
    expect(renderDiscord(lines)).not.toMatch(/@everyone|@here|(?<!\\)<[@#]/);
  });

  it('name whoever has no name that can be seen', () => {
    expect(render([caption(1, { name: '\u200B \u202E' })])).toBe('**?**: line 1.');
  });

  it('cut a caption that is too long for one message, all its texts alike', () => {
    const text = '* word '.repeat(200).trim();
    const many = Object.fromEntries(['es', 'fr', 'de', 'ja', 'ca'].map((code) => [code, text]));
    const shown = renderDiscord(linesOf([caption(1, { text, translations: translated(many) })]));
    expect(shown.length).toBeLessThanOrEqual(1_800);
    expect(shown.length).toBeGreaterThan(1_500);
    for (const line of shown.split('\n')) expect(line).toMatch(/…$/);
  });

  it('hold no markup but their own, and fit, whatever people are called and say', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, fc.boolean(), (name, said, other, isFinal) => {
        const text = oneLine(said) || 'x';
        const translations = translated({ es: oneLine(other), fr: {} });
        const tree = linesOf([caption(1, { name, text, isFinal, translations })]);
        const shown = renderDiscord(tree);
        expect(shown.length).toBeLessThanOrEqual(writtenUnits(tree));
        expect(writtenUnits(tree)).toBeLessThanOrEqual(1_800);
        const lines = shown.split('\n');
        expect(lines[0]).toMatch(/^\*\*.+\*\*: ./);
        for (const line of lines.slice(1)) expect(line).toMatch(/^↳ (?:🇪🇸|🇫🇷) ./u);
        expect(kindsRead(tree), shown).toEqual(isFinal ? ['bold'] : ['bold', 'italic']);
        expect(shown).not.toMatch(/(?<!\\)<[@#!/]|@everyone|@here/);
      }),
    );
  });
});
