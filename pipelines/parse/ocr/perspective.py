"""A page photographed at an angle: its plane is found from the lines of text, and everything on it laid flat.

The images of parallel lines meet in a vanishing point (R. Hartley and A. Zisserman, Multiple View Geometry in Computer
Vision, 2nd edition, 2.4 and 8.6). Lines of text give that of the horizontals; edges of the page and rules of tables
that of the verticals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from pipelines.parse.lines import Projection
from pipelines.parse.ocr.engine import Corners, Point, Raster, Reading, as_corners

Array = NDArray[np.float64]

_LEAST_LINES = 8
"""Minimum lines from which the plane of a page is found; those of a nameplate are too few, and near each other."""
_ROUNDS, _USUAL, _LEAST_USUAL = 5, 1.5, 1e-4
"""Rounds of fitting a vanishing point. In each, lines that the one before does not fit have less weight (Cauchy's, in
Hartley and Zisserman, A6.8): half of it at this multiple of the median deviation, which is at least the last number."""
_LEAST_TURN, _LEAST_NARROWING = math.radians(0.75), 0.02
"""Minimum difference between the slopes of lines at the top and at the bottom, and minimum narrowing: a line's height
over a page. Of 97 scanned pages of `shared/data`, one has as much."""
_SHORTEST, _STEEPEST = 3, 2
"""Minimum length, in heights of a line of text, and slope of a straight line that is vertical: strokes of letters are
shorter."""
_BESIDE = 0.2
"""How far beside the text lines are looked for, by the longer side of the picture: margins of a page are narrower."""
_MOST_NARROWING = 0.4
"""Maximum narrowing of a page in either direction; more is that of lines on other things in the picture."""
_MOST_DEVIATION = math.radians(1)
"""Maximum median deviation of lines of text from their vanishing point: that of photographs of `shared/data/pdf` is at
most a quarter of it; labels of a drawing have all directions."""
_APART = 0.25
"""Minimum distance of the outermost verticals that show whether a page is narrower at one end, by its longer side."""


@dataclass(frozen=True, slots=True)
class Perspective:
    """Maps the picture of a page to one of the same size that shows it straight from above.

    `to_flat` maps homogeneous coordinates in pixels (x, y, 1) of the picture to those of the flat one.
    """

    to_flat: Array

    def flat(self, corners: Corners) -> Corners:
        """Return the corners of a line on the flat page."""
        return as_corners(_mapped(self.to_flat, corners))

    def flattened(self, image: Raster) -> Raster:
        """Return the flat picture; what is outside the photographed one is black, which is not taken for paper."""
        picture = Pillow.fromarray(image)
        *back, last = np.linalg.inv(self.to_flat).ravel().tolist()
        data = tuple(one / last for one in back)
        flat = picture.transform(picture.size, Pillow.Transform.PERSPECTIVE, data, Pillow.Resampling.BICUBIC)
        return np.asarray(flat, dtype=np.uint8)


def perspective_of(image: Raster, readings: Sequence[Reading]) -> Perspective | None:
    """Return the perspective of an upright picture with these lines, None if it was taken from straight above."""
    read = [one for one in readings if one.text and not one.is_vertical]
    long = [one for one in read if one.is_long]
    if len(long) < _LEAST_LINES:
        return None
    height, width, _ = image.shape
    scale = max(width, height) / 2
    to_unit = np.array([[1 / scale, 0, -width / 2 / scale], [0, 1 / scale, -height / 2 / scale], [0, 0, 1]])
    top_left, top_right, bottom_right, bottom_left = np.array([one.corners for one in long]).swapaxes(0, 1)
    sides = [_mapped(to_unit, (one + other) / 2) for one, other in ((top_left, bottom_left), (top_right, bottom_right))]
    horizontal = _horizontal(*sides)
    if horizontal is None:
        return None
    level = _flattening(horizontal, np.array([-horizontal[1], horizontal[0], 0]))
    text = np.array([one.corners for one in read]).reshape(-1, 2)
    shortest = _SHORTEST * float(np.median(np.hypot(*(bottom_left - top_left).T)))
    vertical = _vertical(*(_mapped(level @ to_unit, points) for points in _vertical_lines(image, text, shortest)))
    if not horizontal[2] and not vertical[2]:
        return None
    flat = np.linalg.inv(to_unit) @ _flattening(np.array([1.0, 0, 0]), vertical) @ level @ to_unit
    return Perspective(_fitting(_mapped(flat, text), width, height) @ flat)


def _horizontal(starts: Array, ends: Array) -> Array | None:
    """Return the vanishing point of lines of text, at infinity if they are parallel; None if they do not converge."""
    point = _vanishing_point(starts, ends)
    if np.median(_deviations(point, starts, ends)) > _MOST_DEVIATION or abs(point[2]) > _MOST_NARROWING:
        return None
    if abs(_slope_at(point, -1) - _slope_at(point, 1)) >= _LEAST_TURN:
        return point
    slope = _slope_at(point, 0)
    return np.array([math.cos(slope), math.sin(slope), 0.0])


def _vertical_lines(image: Raster, text: Array, shortest: float) -> tuple[Array, Array]:
    """Return the ends of the straight lines near the text that are vertical: edges of the page, and rules of tables.

    They are found by the line segment detector of OpenCV (R. Grompone von Gioi et al., LSD, IPOL 2012).
    """
    import cv2

    # At half the size, edges are less grainy, and it takes a twentieth of a second.
    grey = cv2.cvtColor(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY)
    found = cv2.createLineSegmentDetector(0).detect(grey)[0]
    # Each has the coordinates of its two ends.
    starts, ends = 2.0 * np.reshape([] if found is None else found, (-1, 2, 2)).swapaxes(0, 1)
    along = np.abs(ends - starts)
    beside = _BESIDE * max(image.shape)
    low, high = text.min(axis=0) - beside, text.max(axis=0) + beside
    is_near = ((low <= starts) & (starts <= high) & (low <= ends) & (ends <= high)).all(axis=1)
    kept = is_near & (along[:, 1] > shortest) & (along[:, 1] > _STEEPEST * along[:, 0])
    return starts[kept], ends[kept]


def _vertical(starts: Array, ends: Array) -> Array:
    """Return the vanishing point of the vertical lines on a level page, at infinity if they are parallel."""
    if not len(starts):
        return np.array([0.0, 1.0, 0.0])
    if np.ptp((starts + ends)[:, 0]) / 2 >= 2 * _APART:
        x, y, narrowing = _vanishing_point(starts[:, ::-1], ends[:, ::-1])[[1, 0, 2]]
        if _LEAST_NARROWING * y <= abs(narrowing) <= _MOST_NARROWING * y:
            return np.array([x, y, narrowing])
    along = (ends - starts) * np.sign(ends - starts)[:, 1:]
    across, down = along.sum(axis=0)  # they are parallel, or too near each other to tell
    return np.array([across / down, 1.0, 0.0])


def projection_of(perspective: Perspective | None, skew: float, width: int, height: int) -> Projection | None:
    """Return where the points of a page are in its picture, None for one from straight above that is not slanted.

    Args:
        perspective: that of the picture, if it has one.
        skew: the slope of the lines, in radians, by which the flat page is deskewed about its middle.
        width, height: those of both pictures in pixels.
    """
    if perspective is None and not skew:
        return None
    middle = np.array([[1, 0, width / 2], [0, 1, height / 2], [0, 0, 1]])
    sine, cosine = math.sin(skew), math.cos(skew)
    back = middle @ np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]]) @ np.linalg.inv(middle)
    if perspective is not None:
        back = np.linalg.inv(perspective.to_flat) @ back
    size = np.diag([width, height, 1.0])
    rows = np.linalg.inv(size) @ back @ size
    return Projection(tuple((x, y, w) for x, y, w in (rows / rows[2, 2]).tolist()))


def _fitting(points: Array, width: int, height: int) -> Array:
    """Return the matrix that moves these points into a picture of this size, and scales them down if necessary."""
    size = np.array([width, height])
    low, high = points.min(axis=0), points.max(axis=0)
    scale = min(1.0, float((size / (high - low)).min()))
    low, high = low * scale, high * scale
    x, y = np.where(low < 0, -low, np.minimum(0, size - high))
    return np.array([[scale, 0, x], [0, scale, y], [0, 0, 1]])


def _mapped(matrix: Array, points: Sequence[Point] | Array) -> Array:
    """Return the images of points, of shape (points, 2)."""
    x, y, w = matrix @ np.column_stack([np.asarray(points, dtype=np.float64), np.ones(len(points))]).T
    return np.column_stack([x / w, y / w])


def _vanishing_point(starts: Array, ends: Array) -> Array:
    """Return the point, in homogeneous coordinates, in which these lines meet; outliers have little weight."""
    lengths = np.hypot(*(ends - starts).T)
    normals = _normals(starts, ends)
    lines = np.column_stack([normals, -(normals * (starts + ends) / 2).sum(axis=1)])
    weights = lengths.copy()
    for _ in range(_ROUNDS):
        _, _, rows = np.linalg.svd(lines * weights[:, None])
        deviations = _deviations(rows[-1], starts, ends)
        usual = max(_LEAST_USUAL, _USUAL * float(np.median(deviations)))
        weights = lengths / (1 + np.square(deviations / usual))
    point = rows[-1]
    return np.asarray(point if point[0] >= 0 else -point)


def _deviations(point: Array, starts: Array, ends: Array) -> Array:
    """Return the sines of the angles between lines and those from their middles to a vanishing point."""
    towards = point[:2] - point[2] * (starts + ends) / 2
    return np.asarray(np.abs((_normals(starts, ends) * towards).sum(axis=1)) / np.hypot(*towards.T))


def _normals(starts: Array, ends: Array) -> Array:
    along = ends - starts
    return np.asarray(np.stack([-along[:, 1], along[:, 0]], axis=1) / np.hypot(*along.T)[:, None])


def _slope_at(point: Array, y: float) -> float:
    """Return the slope, in radians, of the line to a vanishing point from the middle of the picture's width at `y`."""
    return math.atan(float((point[1] - point[2] * y) / point[0])) if point[0] else 0.0


def _flattening(horizontal: Array, vertical: Array) -> Array:
    """Return the matrix by which lines to these vanishing points become horizontal and vertical; the middle stays."""
    across, down = horizontal / np.hypot(*horizontal[:2]), vertical / np.hypot(*vertical[:2])
    return np.asarray(np.linalg.inv(np.column_stack([across, down, [0, 0, 1]])))
