import type { ModelSize } from '../../../src/model/local-models.ts';
import type { ModelsPlanReply, ModelsReply } from '../protocol.ts';
import { api, refusalOf } from './api.ts';
import { boot } from './boot.ts';

/** Time between two looks at an installation. */
const LOOK_MS = 1_000;

export interface ModelsStateDeps {
  readonly onChange: () => void;
  readonly onInstalled: () => void;
}

export type ModelsState = ReturnType<typeof createModelsState>;

/** State of the panel in which the operator installs models. */
export const createModelsState = ({ onChange, onInstalled }: ModelsStateDeps) => {
  let view: ModelsReply | undefined;
  let plan: ModelsPlanReply | undefined;
  let isPlanning = false;
  let fault: string | undefined;
  let size: ModelSize = 'fitting';
  let languages: readonly string[] = [...new Set([new Intl.Locale(boot.locale).language, 'en'])];
  let isOpen = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isRunning = (): boolean => view?.installation?.state === 'running';

  /** Runs what a press asks for, and shows why it failed. */
  const attempt = async (run: () => Promise<unknown>): Promise<void> => {
    fault = undefined;
    try {
      await run();
    } catch (error) {
      fault = refusalOf(error);
    }
    onChange();
  };

  const look = async (): Promise<void> => {
    clearTimeout(timer);
    await attempt(async () => {
      const wasRunning = isRunning();
      view = await api.models();
      if (wasRunning && !isRunning()) {
        plan = undefined;
        onInstalled();
      }
    });
    if (isOpen && isRunning()) timer = setTimeout(() => void look(), LOOK_MS);
  };

  const choose = (change: () => void): void => {
    change();
    plan = undefined;
    onChange();
  };

  return {
    view: () => view,
    plan: () => plan,
    isPlanning: () => isPlanning,
    fault: () => fault,
    size: () => size,
    languages: () => languages,
    isRunning,
    open: (): void => {
      isOpen = true;
      void look();
    },
    close: (): void => {
      isOpen = false;
      clearTimeout(timer);
    },
    add: (language: string): void =>
      choose(() => (languages = [...new Set([...languages, language])])),
    leaveOut: (language: string): void =>
      choose(() => (languages = languages.filter((one) => one !== language))),
    setSize: (next: ModelSize): void => choose(() => (size = next)),
    ask: async (): Promise<void> => {
      isPlanning = true;
      onChange();
      const asked = [languages, size] as const;
      await attempt(async () => {
        const reply = await api.planModels(...asked);
        // Another choice may have been made meanwhile.
        if (asked[0] === languages && asked[1] === size) plan = reply;
      });
      isPlanning = false;
      onChange();
    },
    install: async (names: readonly string[], chosen: ModelSize): Promise<void> => {
      await attempt(() => api.installModels(names, chosen));
      if (fault === undefined) await look();
    },
    stop: async (): Promise<void> => {
      await attempt(api.stopModels);
      if (fault === undefined) await look();
    },
    remove: async (name: string): Promise<void> => {
      await attempt(() => api.removeModel(name));
      if (fault !== undefined) return;
      await look();
      onInstalled();
    },
  };
};
