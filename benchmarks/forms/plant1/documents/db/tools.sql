CREATE TABLE calibration (tool_id VARCHAR(10), description TEXT, calibrated DATE, interval_months INT, certificate TEXT);
INSERT INTO calibration VALUES ('TW-07','Torque wrench 20-100 Nm','2025-02-11',12,'DK-2025-1187');
INSERT INTO calibration VALUES ('MM-03','Micrometer 0-25 mm','2024-11-30',6,'DK-2024-9921');
INSERT INTO calibration VALUES ('PG-15','Pressure gauge 0-16 bar','2025-05-06',24,'DK-2025-2040');
