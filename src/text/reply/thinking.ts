/** The parts in which models think aloud, as open models mark them. */
const THOUGHT = /^\s*<(?<tag>think|thinking|thought|reasoning)>[^]*?<\/\k<tag>>\s*/i;
/** Templates of some models leave out the opening mark. */
const END_OF_THOUGHT = /^(?:(?!<think)[^])*?<\/(?:think|thinking|thought|reasoning)>\s*/i;
const BEGINNING = /^\s*<(?:think|thinking|thought|reasoning)>/i;
/** A mark that is not whole yet. */
const PARTIAL_MARK = /^\s*<[a-z]{0,9}$/i;

/** Removes the thinking before an answer; undefined where the answer never begins. */
export const withoutThinking = (reply: string): string | undefined => {
  if (!reply.includes('>')) return reply;
  const answer = reply.replace(THOUGHT, '');
  if (BEGINNING.test(answer)) return undefined;
  return answer.includes('</') ? answer.replace(END_OF_THOUGHT, '') : answer;
};

/** Removes the thinking from a reply that is still growing; '' while it thinks. */
export const withoutThinkingSoFar = (partial: string): string =>
  PARTIAL_MARK.test(partial) ? '' : (withoutThinking(partial) ?? '');
