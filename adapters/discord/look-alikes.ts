import { skeletonOf } from '../../src/text/skeleton.ts';

/** Letters that look alike, by the one that stands for them in a comparison. */
const WRITTEN_AS: Readonly<Record<string, readonly string[]>> = {
  l: ['l', 'i'],
  m: ['m', 'rn'],
  w: ['w', 'vv'],
};

/**
 * The beginnings, at most two, by which Discord finds names that look like this one: of its first word, to the second letter
 * that others look like.
 */
export const beginningsLike = (name: string): readonly string[] => {
  const [word = ''] = name.split(/[^\p{L}\p{M}\p{N}|!$]+/u).filter(Boolean);
  const [, before = '', letter = '', after = ''] =
    /^([a-hj-kn-vx-z]*)([lmw]?)([a-hj-kn-vx-z]*)/.exec(skeletonOf(word)) ?? [];
  const beginnings = (WRITTEN_AS[letter] ?? ['']).map((each) => before + each + after);
  return beginnings.filter(Boolean);
};
