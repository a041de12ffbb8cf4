import { html, type TemplateResult } from 'lit';
import type { PageAuthor } from '../protocol.ts';

const HUES = 8;

const hueOf = (id: string): number =>
  Array.from(id).reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9_973, 7) % HUES;

const initials = (name: string): string => {
  const words = name.trim().split(/\s+/u);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toLocaleUpperCase();
};

export const avatar = ({ id, name, ours }: PageAuthor): TemplateResult =>
  ours
    ? html`<img class="avatar" src="/page/icon.svg" alt="" width="36" height="36" />`
    : html`<span class="avatar hue-${hueOf(id)}" aria-hidden="true">${initials(name)}</span>`;
