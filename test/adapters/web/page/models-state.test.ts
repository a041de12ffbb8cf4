import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ModelPlan, ModelSize } from '../../../../src/model/local-models.ts';

const PLAN: ModelPlan = {
  machine: { cores: 2, memoryBytes: 4e9, freeBytes: 10e9 },
  models: [],
  downloadBytes: 7,
  lackingBytes: 0,
  gaps: [],
  notes: [],
};

/** What is used here of the page's state, whose own types are those of a browser. */
interface State {
  plan(): ModelPlan | undefined;
  fault(): string | undefined;
  setSize(size: ModelSize): void;
  ask(): Promise<void>;
  stop(): Promise<void>;
  remove(name: string): Promise<void>;
}

const MODULE = new URL('../../../../adapters/web/page/models-state.ts', import.meta.url).href;

let open: () => State;
let replies: Record<string, () => Promise<Response>>;

beforeEach(async () => {
  replies = {};
  vi.stubGlobal('document', { querySelector: () => ({ textContent: '{"locale":"es"}' }) });
  vi.stubGlobal('fetch', (path: string) => replies[path]?.() ?? Response.json({}));
  const { createModelsState } = (await import(MODULE)) as {
    createModelsState: (deps: object) => State;
  };
  open = () => createModelsState({ onChange: () => {}, onInstalled: () => {} });
});
afterEach(() => vi.unstubAllGlobals());

describe('the panel of models', () => {
  it('shows what would be installed for the choice that was made last, and no other', async () => {
    const reply = Promise.withResolvers<Response>();
    replies['api/models/plan'] = () => reply.promise;
    const state = open();
    const asked = state.ask();
    state.setSize('small');
    reply.resolve(Response.json(PLAN));
    await asked;
    expect(state.plan()).toBeUndefined();
    replies['api/models/plan'] = async () => Response.json(PLAN);
    await state.ask();
    expect(state.plan()).toEqual(PLAN);
  });

  it.each([
    ['stop', 'api/models/stop'],
    ['remove', 'api/models/remove'],
  ] as const)('keeps the reason why a press failed: %s', async (press, path) => {
    replies[path] = async () => Response.json({ error: 'Not now.' }, { status: 503 });
    const state = open();
    await state[press]('ears');
    expect(state.fault()).toBe('Not now.');
  });
});
