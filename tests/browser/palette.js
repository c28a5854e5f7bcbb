// A picture with 64 colours: a screenshot of cards has few, and a PNG that lists them is a third of one that does not.
async (encoded) => {
  const image = new Image();
  image.src = `data:image/png;base64,${encoded}`;
  await image.decode();
  const [width, height] = [image.naturalWidth, image.naturalHeight];
  const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);

  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) || 0) + 1);
  const palette = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 64).map(([pixel]) => pixel);
  const parts = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
  const known = palette.map(parts);
  const places = new Map(palette.map((pixel, place) => [pixel, place]));
  const nearest = (pixel) => {
    const [red, green, blue] = parts(pixel);
    let best = 0;
    let least = Infinity;
    known.forEach((one, place) => {
      const far = (one[0] - red) ** 2 + (one[1] - green) ** 2 + (one[2] - blue) ** 2;
      if (far < least) [least, best] = [far, place];
    });
    places.set(pixel, best);
    return best;
  };

  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const pixel = pixels[y * width + x];
      rows[y * (width + 1) + 1 + x] = places.get(pixel) ?? nearest(pixel);
    }
  }
  const packed = new Uint8Array(await new Response(new Blob([rows]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer());

  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    for (let bit = 0; bit < 8; bit += 1) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
    return byte;
  });
  const chunk = (name, data) => {
    const bytes = new Uint8Array(data.length + 12);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, data.length);
    [...name].forEach((letter, place) => { bytes[4 + place] = letter.charCodeAt(0); });
    bytes.set(data, 8);
    let sum = 0xffffffff;
    for (const byte of bytes.subarray(4, 8 + data.length)) sum = table[(sum ^ byte) & 255] ^ (sum >>> 8);
    view.setUint32(8 + data.length, ~sum >>> 0);
    return bytes;
  };
  const head = new Uint8Array(13);
  new DataView(head.buffer).setUint32(0, width);
  new DataView(head.buffer).setUint32(4, height);
  head.set([8, 3], 8);
  const whole = [
    Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10), chunk("IHDR", head), chunk("PLTE", known.flat()),
    chunk("IDAT", packed), chunk("IEND", new Uint8Array()),
  ];
  const url = await new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.readAsDataURL(new Blob(whole));
  });
  return url.slice(url.indexOf(",") + 1);
}
