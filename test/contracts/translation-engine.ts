import { expect } from 'vitest';
import type { TranslationEngine, TranslationPiece } from '../../service/engine.ts';
import type { Contract } from './contract.ts';

const signal = new AbortController().signal;

/** A port and one pair of languages that it translates. */
export interface TranslationSubject {
  readonly port: TranslationEngine;
  readonly from: string;
  readonly to: string;
}

const translate = async (
  { port, from, to }: TranslationSubject,
  text: string,
  wanted = signal,
): Promise<TranslationPiece[]> => {
  const pieces: TranslationPiece[] = [];
  const request = { text, from, to, tokens: new Map(), keywords: [], context: '' };
  for await (const piece of port.translate(request, wanted)) pieces.push(piece);
  return pieces;
};

export const translationEngineContract: Contract<TranslationSubject> = {
  'knows its languages': async ({ port, from, to }) => {
    expect(port.translates(from, to)).toBe(true);
  },
  'translates into pieces that join to a text': async (subject) => {
    const pieces = await translate(subject, 'hello fox');
    expect(pieces.map(({ text }) => text).join('')).not.toBe('');
  },
  'keeps protected tokens and line breaks': async (subject) => {
    const pieces = await translate(subject, '⟦1⟧ hello ⟦2⟧\nfox ⟦3⟧');
    const text = pieces.map((piece) => piece.text).join('');
    expect(text.match(/⟦\d⟧/g)?.toSorted()).toEqual(['⟦1⟧', '⟦2⟧', '⟦3⟧']);
    expect(text.split('\n')).toHaveLength(2);
  },
  'names one model and counts once': async (subject) => {
    const pieces = await translate(subject, 'hello\nfox');
    const [first] = pieces;
    expect(first?.model).toBeTruthy();
    expect(new Set(pieces.map(({ model }) => model)).size).toBe(1);
    expect(pieces.filter(({ usage }) => usage).length).toBeLessThanOrEqual(1);
  },
  'does not translate for somebody who has left': async (subject) => {
    await expect(translate(subject, 'hello', AbortSignal.abort())).rejects.toThrow();
  },
};
