/** Small drawings, each in a box of 28 × 22. */
import type { Icon } from './lines.ts';

const pen = (width: number): string =>
  `fill="none" stroke="currentColor" stroke-width="${width}" stroke-linecap="round"`;
const flag = (inside: string): string =>
  `<g clip-path="url(#flag)">${inside}</g><rect x="0.5" y="2.500" width="27" height="17" rx="3" fill="none" stroke="#0003"/>`;

const ICONS: Readonly<Record<Icon, string>> = {
  es: flag(
    '<path fill="#c60b1e" d="M0 2h28v18H0z"/><path fill="#ffc400" d="M0 6.500h28v9H0z"/><circle cx="9" cy="11" r="2.200" fill="#c60b1e"/>',
  ),
  gb: flag(
    '<path fill="#012169" d="M0 2h28v18H0z"/><path stroke="#fff" stroke-width="4" d="M0 2l28 18M28 2L0 20"/>' +
      '<path stroke="#c8102e" stroke-width="1.400" d="M0 2l28 18M28 2L0 20"/><path stroke="#fff" stroke-width="6" d="M14 2v18M0 11h28"/>' +
      '<path stroke="#c8102e" stroke-width="3.400" d="M14 2v18M0 11h28"/>',
  ),
  bubble: `<path ${pen(2)} d="M6 3h16a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3H13l-5 4v-4H6a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3z"/>`,
  globe: `<g ${pen(1.6)}><circle cx="12" cy="11" r="8"/><ellipse cx="12" cy="11" rx="3.500" ry="8"/><path d="M4 11h16"/></g>`,
  reply: `<path ${pen(2)} d="M7 5v4a4 4 0 0 0 4 4h11m-5-5l5 5-5 5"/>`,
  translation: `<path ${pen(2)} d="M9 3v7a4 4 0 0 0 4 4h8m-5-5l5 5-5 5"/>`,
};

export const DEFINITIONS =
  '<clipPath id="flag"><rect y="2" width="28" height="18" rx="3"/></clipPath>' +
  Object.entries(ICONS)
    .map(([name, drawing]) => `<g id="i-${name}">${drawing}</g>`)
    .join('') +
  '<g id="i-dragoman"><path d="M32 4c15.500 0 28 11 28 25S47.500 54 32 54c-3 0-5.900-.4-8.600-1.200L10 60l2.600-13.400C7.300 42.200 4 36 4 29 4 15 16.500 4 32 4z" fill="#0e6e66"/>' +
  '<path d="M20 42V27.500C20 20.600 25.400 15 32 15s12 5.600 12 12.500V42" fill="none" stroke="#fffdfa" stroke-width="4.500" stroke-linecap="round"/>' +
  '<path d="M32 42V28.500" stroke="#f2b544" stroke-width="4.500" stroke-linecap="round"/><circle cx="32" cy="27" r="4.200" fill="#f2b544"/></g>';
