// Vitest runs this anew for each file; what it imports stays, and is loaded once by each of its processes.
import './equal-bytes.ts';
