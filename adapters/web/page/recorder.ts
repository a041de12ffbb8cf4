/** One recording from the microphone, in the form that this browser makes. */
export interface Recording {
  /** Loudness now, 0 to 1. */
  level(): number;
  /** Ends it and gives what was heard. */
  finish(): Promise<File>;
  /** Ends it and throws it away. */
  discard(): void;
}

const TYPES = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];

const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/webm': 'webm',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
};

/** About as long as the meter waits between two looks: nothing is missed. */
const WINDOW_SAMPLES = 4_096;

/** Browsers give the microphone only to pages of this machine or over HTTPS. */
export const canRecord = (): boolean =>
  'mediaDevices' in navigator && typeof MediaRecorder !== 'undefined';

const meter = (stream: MediaStream) => {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = WINDOW_SAMPLES;
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    level: (): number => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      return Math.min(1, Math.sqrt(power) * 4);
    },
    close: () => void context.close(),
  };
};

/** Rejects with the browser's `NotAllowedError` when the person says no. */
export const startRecording = async (): Promise<Recording> => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const type = TYPES.find((each) => MediaRecorder.isTypeSupported(each));
  const recorder = new MediaRecorder(stream, type === undefined ? {} : { mimeType: type });
  const chunks: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => chunks.push(data));
  const { level, close } = meter(stream);
  const stopped = new Promise<void>((resolve) =>
    recorder.addEventListener('stop', () => resolve(), { once: true }),
  );
  recorder.start(1_000);

  const end = (): void => {
    if (recorder.state !== 'inactive') recorder.stop();
    for (const track of stream.getTracks()) track.stop();
    close();
  };

  return {
    level,
    discard: end,
    finish: async () => {
      end();
      await stopped;
      const mediaType = recorder.mimeType.split(';')[0] ?? '';
      const time = new Date().toTimeString().slice(0, 8).replaceAll(':', '-');
      return new File(chunks, `recording-${time}.${EXTENSIONS[mediaType] ?? 'webm'}`, {
        type: mediaType,
      });
    },
  };
};
