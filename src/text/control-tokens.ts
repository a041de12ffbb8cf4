/**
 * Marks with which the templates of language models part a conversation: a server that finds one in a
 * text obeys it. Families: ChatML, Llama, Phi and GLM (`<|im_end|>`), DeepSeek and Hunyuan (`<｜…｜>`),
 * Gemma (`<end_of_turn>`), Mistral (`[INST]`), EXAONE (`[|user|]`), and the marks of SentencePiece.
 */
const TURN = String.raw`<\|[^<>|\s\uFFFC]{1,60}\|>|<｜[^<>｜\n\uFFFC]{1,60}｜>|\[\|\w{1,30}\|\]|<</?SYS>>|</?(?:start|end)_of_turn>|\[/?INST\]`;
const OTHER =
  String.raw`</?(?:(?:start|end)_of_image|[be]os|s|pad|unk|mask|[se]op|image|__media__|think|tool_call|tool_response|unused\d{1,5}|extra_id_\d{1,3}|0x[0-9A-F]{2})>|` +
  String.raw`\[/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|IMG|THINK|gMASK|BOS|EOS|UNUSED_TOKEN_\d{1,4})\]`;

/** The same, and such marks with one bar, which some servers read too. */
export const CONTROL_TOKEN = String.raw`${TURN}|${OTHER}|<\|[^<>|\s\uFFFC]{1,60}>|<[^<>|\s\uFFFC]{1,60}\|>`;

const anywhere = new RegExp(CONTROL_TOKEN, 'gu');
const whole = new RegExp(`${TURN}|${OTHER}`, 'u');
/** `</s>` ends a turn at the end of a reply and before the next turn; elsewhere it is HTML. */
const turn = new RegExp(String.raw`${TURN}|</s>(?=\s*(?:<s>|\[INST\]|$))`, 'u');

/** Puts a space into every control token of a text for a prompt, so that it is only words. */
export const withoutControlTokens = (text: string): string =>
  text.replaceAll(anywhere, (token) => `${token.slice(0, 1)} ${token.slice(1)}`);

/** The place of the first control token in a reply, in the form in which models write them, or -1. */
export const findTemplateMark = (reply: string): number => reply.search(whole);

/** The place of the first control token that begins or ends a turn, or -1: answers may be about the others. */
export const findTurnMark = (reply: string): number => reply.search(turn);

/** The place of the first control token in a text, or -1. */
export const findControlToken = (text: string): number => text.search(anywhere);
