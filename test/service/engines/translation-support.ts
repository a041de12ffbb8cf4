import type { Engine, EngineTranslationRequest } from '../../../service/engine.ts';

/** Translates by an engine; from English into Spanish unless `more` says something else. */
export const translate = async (
  engine: Engine,
  text: string,
  more: Partial<EngineTranslationRequest> = {},
): Promise<string> => {
  const { translation } = await engine.abilities();
  const request = { text, from: 'en', to: 'es', tokens: new Map(), keywords: [], context: '' };
  const { signal } = new AbortController();
  const pieces = await Array.fromAsync(translation!.translate({ ...request, ...more }, signal));
  return pieces.map((piece) => piece.text).join('');
};

/** An engine and the fake of its server, which end together. */
export const together = <Server extends AsyncDisposable>(server: Server, engine: Engine) => ({
  server,
  engine,
  [Symbol.asyncDispose]: async () => {
    await engine[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  },
});
